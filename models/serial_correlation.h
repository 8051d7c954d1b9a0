// Standard error of the mean of values in time order, which resemble their neighbours.
//
// Units: of the values; effective size counts independent values that would say as much.
// Errors: fewer than 2 values or a value that is not finite gives nullopt.
// Bounds: O(n * lags), lags at most n / 2.
// Source: Newey, West, Econometrica 55 (1987) 703-708 (Bartlett weights); Andrews, Econometrica 59 (1991)
// 817-858 (automatic lag from a first-order fit); Marriott, Pope, Biometrika 41 (1954) 390-402 and Kendall,
// ibid. 403-404 (bias of a lag-one correlation); Schmeiser, Operations Research 30 (1982) 556-568 (batch
// means, few batches).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "models/statistics.h"

namespace fsadvise::models {

// Autocorrelation at `lag`, divisor n; 0 where the series is constant or not longer than the lag.
double autocorrelation(std::span<const double> values, std::size_t lag);

struct SerialMean {
    double mean = 0;
    double deviation = 0;       // standard error of the mean
    double effective_size = 0;  // from 1 to n
    double lag_one = 0;         // autocorrelation of neighbours, corrected for the shortness of the series
};

// The estimate to use: the largest of the three below (batches from 100 values on) and of the one for
// independent values, since each of them errs towards too small a number where it does not fit. Negative
// correlation is not taken as a gain, a short series cannot prove it. Memory as long as the series (a drift)
// cannot be seen from within it.
std::optional<SerialMean> serial_mean(std::span<const double> values);

// The values taken as a first-order autoregression: right for short series, blind to a slow part
// beneath independent noise.
std::optional<SerialMean> first_order_mean(std::span<const double> values);
// Bartlett-weighted autocovariances: any shape in long series, too small in short ones.
std::optional<SerialMean> newey_west_mean(std::span<const double> values);
// Means of `batches` neighbouring blocks taken as independent; nullopt with fewer than 2 values a block. What
// is left over at the start is not used for the error.
std::optional<SerialMean> batch_mean(std::span<const double> values, std::size_t batches = 10);

// t interval with effective_size - 1 degrees of freedom (at least 1).
std::optional<Interval> serial_mean_interval(std::span<const double> values, double level = 0.95);

}  // namespace fsadvise::models
