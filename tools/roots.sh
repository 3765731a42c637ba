# SPDX-License-Identifier: Apache-2.0
# Fresh Debians in folders of their own, read by clean_root and installed_root.

# make_root NAME ROOT: a minimal Debian NAME with git in the folder ROOT, unless it is there.
make_root() {
  local name=$1 root=$2 mirror
  if [ ! -f "$root/.made" ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' | head -1)
    [ -n "$mirror" ] || { echo "make_root: apt names no mirror of Debian" >&2; exit 2; }
    mkdir -p "$(dirname "$root")"
    debootstrap --variant=minbase --include=ca-certificates,git "$name" "$root" "$mirror" >"$root.log" 2>&1 ||
      { tail -20 "$root.log" >&2; echo "make_root: no $name could be made" >&2; exit 3; }
    touch "$root/.made"
  fi
  # Mirrors may stand still for longer than testing's lists of packages are valid.
  echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90tutti"
}

# run_in_root ROOT CACHE COMMANDS: bash in ROOT, where the folder CACHE outside is ccache's. /sys: OpenMPI asks it for the
# cores.
run_in_root() {
  export root=$1 cache=$2 commands="set -e
$3"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$cache" "$root/root/.cache/ccache"
  unshare --mount --pid --fork bash -c '
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind -o ro /sys "$root/sys" &&
      mount --bind "$cache" "$root/root/.cache/ccache" || exit
    exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 bash -c "$commands"'
}
