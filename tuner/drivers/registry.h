// Internal: the drivers, one a file. A new one is named here and in registry.cpp.
#pragma once

#include "tuner/drivers/driver.h"

namespace fsadvise::tuner {

const Driver& postgres_driver();
const Driver& mariadb_driver();
const Driver& sqlite_driver();
const Driver& dbench_driver();
const Driver& nginx_driver();
const Driver& build_driver();
const Driver& git_driver();
const Driver& command_driver();

}  // namespace fsadvise::tuner
