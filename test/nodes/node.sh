#!/bin/sh
# The first process of a node, in namespaces of its own: makes the node's root file system, and starts containerd and kubelet.
# It is called with the node's cgroup, then again in a cgroup namespace of its own, then in the node's root file system.
set -eu

# Of cgroup v1 there are several hierarchies.
hierarchies() { awk '$3 == "cgroup" || $3 == "cgroup2" { print $2, $3, $4 }' /proc/mounts; }

join_cgroups() {
  hierarchies | while read -r path _; do
    mkdir -p "$path/$CGROUP"
    if [ -e "$path/$CGROUP/cpuset.cpus" ]; then
      for group in "$path/${CGROUP%/*}" "$path/$CGROUP"; do
        for file in cpuset.cpus cpuset.mems; do cat "$path/$file" >"$group/$file"; done
      done
    fi
    echo $$ >"$path/$CGROUP/cgroup.procs"
  done
}

mount_cgroups() {
  hierarchies >"$FOLDER/hierarchies"
  mount -t tmpfs -o mode=755 cgroup "$1/sys/fs/cgroup"
  while read -r path type options; do
    mkdir -p "$1$path"
    case $type in
    cgroup) mount -t cgroup -o "$(echo "$options" | sed 's/^rw,//; s/relatime,//')" cgroup "$1$path" ;;
    *) mount -t cgroup2 cgroup2 "$1$path" ;;
    esac
  done <"$FOLDER/hierarchies"
}

make_root() {
  root=$FOLDER/root
  mount --make-rprivate /
  mount -t overlay -o "lowerdir=$NODE_ROOT,upperdir=$FOLDER/upper,workdir=$FOLDER/work" overlay "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount_cgroups "$root"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  # Snapshots of containers are overlays too, which none may be part of another.
  mount --bind "$FOLDER/lib" "$root/var/lib"
  for shared in $SHARED; do
    if [ -d "$shared" ]; then mkdir -p "$root$shared"; else mkdir -p "$(dirname "$root$shared")" && touch "$root$shared"; fi
    mount --bind "$shared" "$root$shared"
  done
  mount --make-rshared "$root"
  cd "$root"
  mkdir -p old
  mount --make-rprivate /
  pivot_root . old
  exec chroot . /usr/bin/env -C / STAGE=run sh "$0"
}

run() {
  umount -l /old
  mount --make-rshared /
  echo "$NODE" >/proc/sys/kernel/hostname
  echo 1 >/proc/sys/net/ipv4/ip_forward
  touch "$FOLDER/ready"
  containerd >>"$FOLDER/containerd.log" 2>&1 &
  until [ -S /run/containerd/containerd.sock ]; do sleep 0.1; done
  "$ASSETS/kubelet" $KUBELET_FLAGS >>"$FOLDER/kubelet.log" 2>&1 &
  # It reaps what is left of containers, as the first process of a node does.
  while :; do wait || true; sleep 1; done
}

case $STAGE in
cgroup)
  join_cgroups
  STAGE=root exec unshare --cgroup sh "$0"
  ;;
root) make_root ;;
run) run ;;
esac
