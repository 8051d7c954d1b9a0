// What a model says of one point: an expected value and how sure it is.
//
// Units: of the targets, here natural logarithms of a metric or of its ratio to the default.
#pragma once

namespace fsadvise::models {

struct Prediction {
    double mean = 0;
    double deviation = 0;  // of the expected value, measurement noise not included
};

}  // namespace fsadvise::models
