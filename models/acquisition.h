// Expected improvement for maximisation.
#pragma once

namespace fsadvise::models {

// E[max(0, X - best)] for X ~ N(mean, deviation^2). Source: Jones, Schonlau, Welch 1998.
double expected_improvement(double mean, double deviation, double best);

}  // namespace fsadvise::models
