#include "backend/mpi/farewell.hpp"

namespace tutti::run {

Farewell::Farewell(MPI_Comm comm) {
  int count = 0;
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &index_);
  MPI_Comm_size(comm_, &count);
  gone_.resize(static_cast<std::size_t>(count));
  heard_.resize(gone_.size(), MPI_REQUEST_NULL);
  for (int p = 0; p < count; ++p)
    if (p != index_) MPI_Irecv(nullptr, 0, MPI_BYTE, p, 0, comm_, &heard_[static_cast<std::size_t>(p)]);
}

bool Farewell::said_by(int process) {
  const auto p = static_cast<std::size_t>(process);
  if (process == index_ || gone_[p]) return gone_[p] != 0;
  int come = 0;
  MPI_Test(&heard_[p], &come, MPI_STATUS_IGNORE);
  gone_[p] = come != 0;
  return come != 0;
}

void Farewell::say() {
  for (int p = 0; p < static_cast<int>(heard_.size()); ++p)
    if (p != index_) MPI_Isend(nullptr, 0, MPI_BYTE, p, 0, comm_, &told_.emplace_back());
}

bool Farewell::is_over() {
  int heard = 0, told = 0;
  MPI_Testall(static_cast<int>(heard_.size()), heard_.data(), &heard, MPI_STATUSES_IGNORE);
  MPI_Testall(static_cast<int>(told_.size()), told_.data(), &told, MPI_STATUSES_IGNORE);
  return heard && told;
}

}  // namespace tutti::run
