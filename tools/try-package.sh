#!/usr/bin/env bash
# Installs the Debian package into a fresh root, with nothing of this machine but its kernel, and tries it as
# a person would. Root runs it, with network: debootstrap is taken from the distribution where it is not
# installed.
#
#     tools/try-package.sh target/package/terrace_0.1.0-1_amd64.deb
set -euo pipefail

package=${1:?the package is named}
work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT
if [[ $(id -u) != 0 ]]; then
    echo "error: only root makes a root: sudo $0 $package" >&2
    exit 1
fi

if ! command -v debootstrap >/dev/null; then
    (cd "$work" && apt-get -q download debootstrap && dpkg-deb -x debootstrap_*.deb tool)
    export DEBOOTSTRAP_DIR=$work/tool/usr/share/debootstrap PATH=$PATH:$work/tool/usr/sbin
fi
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
debootstrap --variant=minbase "$suite" "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log" "$root/debootstrap/debootstrap.log" >&2
    exit 1
}
cp "$package" "$root/tmp/terrace.deb"
inside() {
    chroot "$root" env -i HOME=/root PATH=/usr/bin:/usr/sbin:/bin:/sbin TERM=dumb LC_ALL=C "$@"
}
# What works without the C compiler must work without it.
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside apt-get -q -y install --no-install-recommends /tmp/terrace.deb
inside terrace doctor | tee "$work/bare"
grep -q '^lacking  C compiler' "$work/bare"
cat >"$root/tmp/t.mlir" <<'END'
func.func @f(%x: memref<?xf64> {terrace.name = "x", terrace.init = "iota:[10]"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    affine.store %w, %x[%i] : memref<?xf64>
  }
  return
}
END
inside terrace run /tmp/t.mlir --arg x=iota:10 --verify
inside terrace run /tmp/t.mlir --arg x=iota:10 --target emulator --verify
inside terrace-opt /tmp/t.mlir --affine-parallelize | grep affine.parallel
inside terrace-reduce /tmp/t.mlir --test true
inside terrace-lsp --version

# With what the package recommends.
inside apt-get -q -y install --no-install-recommends gcc libc6-dev
cat >"$root/tmp/t.c" <<'END'
#include <openacc.h>
#include <stdio.h>
int main(void) {
  double s = 0, a[1000];
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 1000; i++) a[i] = 2.0 * i;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < 1000; i++) s += a[i];
  printf("%g on %d host\n", s, acc_get_num_devices(acc_device_host));
  return 0;
}
END
inside terrace cc -O2 /tmp/t.c -o /tmp/t
for target in host cpu emulator; do
    said=$(inside env TERRACE_TARGET=$target /tmp/t)
    echo "$target: $said"
    [[ $said == "999000 on 1 host" ]]
done
inside terrace doctor | tee "$work/whole"
grep -q '^found    C compiler' "$work/whole"
grep -q '^found    runtime' "$work/whole"
for page in terrace terrace-run terrace-cc terrace-opt terrace-reduce terrace-lsp; do
    [[ -s $root/usr/share/man/man1/$page.1.gz ]]
done
for tool in terrace terrace-opt terrace-reduce terrace-lsp; do
    [[ -s $root/usr/share/bash-completion/completions/$tool ]]
done
# Nothing of it stays but what it unpacked for the user.
inside apt-get -q -y purge terrace
left=$(find "$root/usr" "$root/etc" -name '*terrace*' -print)
if [[ -n $left ]]; then
    echo "error: left behind:" "$left" >&2
    exit 1
fi
echo "the package works"
