#!/usr/bin/env bash
# Makes the files of a release in target/package: an archive with the tools, the manual and the completions,
# the Debian package, and their checksums.
#
#     tools/release.sh              # the archive, and the package where cargo-deb is installed
#     tools/release.sh archive      # the archive alone
#     tools/release.sh deb          # the package alone, which wants cargo-deb
#
# Times, owners and the order of files in the archive are fixed.
# tools/try-package.sh installs the package into a fresh root, and tries it there.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-all}
case $what in
all | archive | deb) ;;
*)
    echo "error: found '$what', expected archive, deb or nothing" >&2
    exit 2
    ;;
esac

target=${CARGO_TARGET_DIR:-$PWD/target}
out=$target/package
tools=(terrace terrace-opt terrace-reduce terrace-lsp)
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
triple=$(rustc -vV | sed -n 's/^host: //p')
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}

cargo build --release --locked -p terrace --bins

# What is installed beside the tools; Cargo.toml names it for cargo-deb.
share=$target/release/share
mkdir -p "$out"
rm -rf "$share"
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
terrace=$target/release/terrace
"$terrace" manual "$share/man/man1"
gzip -9n "$share"/man/man1/*.1
for tool in "${tools[@]}"; do
    "$terrace" completions bash "$tool" >"$share/bash-completion/completions/$tool"
    "$terrace" completions zsh "$tool" >"$share/zsh/vendor-completions/_$tool"
    "$terrace" completions fish "$tool" >"$share/fish/vendor_completions.d/$tool.fish"
done

made=()
if [[ $what != deb ]]; then
    name=terrace-$version-$triple
    rm -rf "${out:?}/$name"
    mkdir -p "$out/$name/bin"
    for tool in "${tools[@]}"; do
        install -m 755 "$target/release/$tool" "$out/$name/bin/$tool"
        strip "$out/$name/bin/$tool"
    done
    cp -r "$share" "$out/$name/share"
    cp README.md LICENSE-APACHE LICENSE-MIT docs/installation.md "$out/$name/"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        -C "$out" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
    rm -rf "${out:?}/$name"
    made+=("$name.tar.gz")
fi
if [[ $what != archive ]]; then
    if cargo deb --version >/dev/null 2>&1; then
        deb=$(cargo deb --no-build --locked -p terrace --output "$out/")
        made+=("$(basename "$deb")")
    elif [[ $what == deb ]]; then
        echo "error: cargo-deb is not installed: cargo install cargo-deb" >&2
        exit 1
    else
        echo "SKIPPED the Debian package: cargo-deb is not installed: cargo install cargo-deb" >&2
    fi
fi
cd "$out"
sha256sum "${made[@]}" >SHA256SUMS
ls -l "${made[@]}"
