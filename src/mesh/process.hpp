// Which process of the job this is. Set once, by distributed::initialize, before anything runs.
#pragma once

namespace tutti {

struct Process {
  int index = 0;
  int count = 1;
};
/// This one: the first of one, unless distributed::initialize found others.
const Process& this_process();
void set_process(Process process);
/// Somebody holds devices, by number or of his own: what comes later cannot deal them out to processes.
void note_devices_used();
/// Gives the devices that somebody asked for before there were other processes to all of them; ValueError where that
/// does not go.
void deal_out_devices(const char* operation);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
