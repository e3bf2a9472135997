#!/bin/sh
# Installs scrip, a standalone program, for one user and without root; or uninstalls it.
#
#   sh install.sh [--prefix DIR] [--from DIR|https://URL] [--key FILE]
#   sh install.sh --uninstall [--prefix DIR]
#
# The prefix is ~/.local. Files come from the folder of this script, if the release is there, or else from the
# address of the release. Nothing is installed whose signature or checksum is wrong. Uninstalling removes the
# program, its settings, caches and test shop; wallets and purchases stay.
set -eu

VERSION='@VERSION@'
BASE='@BASE@'
KEY='@KEY@'

say() { printf '%s\n' "$*"; }
die() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is needed: install it and run this again"; }

platform() {
  case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) die "there is no standalone program for $(uname -s); with Node 20: npm install --global scrip-cli" ;;
  esac
  case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) die "there is no standalone program for $(uname -m)" ;;
  esac
  # A shell under Rosetta says x86_64.
  if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then arch=arm64; fi
  if [ "$os" = linux ] && ldd --version 2>&1 | grep -qi musl; then arch=$arch-musl; fi
  say "$os-$arch"
}

# get FILE: a file of the release, into the current folder.
get() {
  case $from in
  https://*)
    if command -v curl >/dev/null 2>&1; then
      curl --fail --silent --show-error --location --proto '=https' --output "$1" "$from/$1"
    elif command -v wget >/dev/null 2>&1; then
      wget --quiet --https-only --output-document="$1" "$from/$1"
    else
      die 'curl or wget is needed'
    fi
    ;;
  *://*) die "only https addresses are used, not $from" ;;
  *) cp "$from/$1" "$1" ;;
  esac || die "$from/$1 cannot be read"
}

# Checks the signature of the list of checksums, and the file's checksum in it.
verified() {
  get SHA256SUMS
  get SHA256SUMS.sig
  openssl dgst -sha256 -verify release-key.pem -signature SHA256SUMS.sig SHA256SUMS >/dev/null 2>&1 ||
    die "the signature of SHA256SUMS is wrong: nothing was installed"
  wanted=$(awk -v name="$1" '$2 == name { print $1 }' SHA256SUMS)
  [ -n "$wanted" ] || die "this release has no $1"
  get "$1"
  [ "$(openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1)" = "$wanted" ] ||
    die "the checksum of $1 is wrong: nothing was installed"
}

install() {
  for tool in openssl tar gzip awk; do need "$tool"; done
  list=$prefix/share/doc/scrip/files
  if [ -e "$prefix/bin/scrip" ] && [ ! -e "$list" ]; then
    die "$prefix/bin/scrip is of another installation: remove it, or choose another --prefix"
  fi
  if [ -n "$key" ]; then KEY=$(cat "$key"); fi
  [ -n "$KEY" ] || die 'this release is not signed (a dry run): name its public key with --key'
  name=scrip-$VERSION-$(platform)
  say "Installing $name from $from into $prefix"
  mkdir -p "$prefix"
  work=$(mktemp -d "$prefix/.scrip-install-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  cd "$work"
  printf '%s\n' "$KEY" >release-key.pem
  verified "$name.tar.gz"
  say 'Signature and checksum are right.'
  tar -xzf "$name.tar.gz"
  cd "$name"
  # A library that is missing shows before anything was replaced.
  found=$(./bin/scrip --version) || die "the program does not run here$(missing_library)"
  [ "$found" = "$VERSION" ] || die "the program says that it is $found"
  mkdir -p "$prefix/share/doc/scrip"
  # The program comes last; what an earlier version had stays on the list.
  find . -type f | sed 's|^\./||' | sort -r >"$work/new"
  if [ -e "$list" ]; then cat "$list"; fi | cat - "$work/new" | sort -u >"$work/all"
  mv "$work/all" "$list"
  while IFS= read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    mv "$file" "$prefix/$file"
  done <"$work/new"
  say "scrip $VERSION is installed: $prefix/bin/scrip"
  case :$PATH: in
  *":$prefix/bin:"*) say 'Begin with: scrip order amazon 25' ;;
  *) say "Your PATH lacks it. Add to the startup file of your shell: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  say 'To remove it: sh install.sh --uninstall'
}

missing_library() {
  case $name in *-musl) say ': Alpine needs apk add libstdc++ libgcc' ;; esac
}

# folder VARIABLE DEFAULT: where the program keeps its files (XDG; relative paths are ignored).
folder() {
  case $1 in
  /*) say "$1/scrip" ;;
  *) say "$HOME/$2/scrip" ;;
  esac
}

uninstall() {
  list=$prefix/share/doc/scrip/files
  [ -e "$list" ] || die "$prefix has no installation by this script"
  cd "$prefix"
  while IFS= read -r file; do
    rm -f "./$file"
    rmdir -p "$(dirname "$file")" 2>/dev/null || true
  done <"$list"
  rm -f "$list"
  rmdir -p share/doc/scrip 2>/dev/null || true
  say "Removed the program from $prefix."
  if other=$(command -v scrip); then
    say "Another scrip is installed ($other): its settings, caches and test shop stay."
    return
  fi
  state=$(folder "${XDG_STATE_HOME:-}" .local/state)
  for path in "$(folder "${XDG_CONFIG_HOME:-}" .config)" "$(folder "${XDG_CACHE_HOME:-}" .cache)" \
    "$state"/sandbox "$state"/sandbox-* "$state"/wizard-*.json "$state"/approvals-*.json "$state"/recent-errors.ndjson; do
    if [ -e "$path" ] || [ -L "$path" ]; then
      rm -rf "$path"
      say "Removed $path"
    fi
  done
  say 'Not removed, since they hold money and codes:'
  say "  wallets    $(folder "${XDG_DATA_HOME:-}" .local/share)"
  say "  purchases  $state/journal"
  say "Entries that 'scrip mcp install' made in other programs stay too."
}

main() {
  [ -n "${HOME:-}" ] || die 'HOME is not set'
  prefix=$HOME/.local
  from=$BASE
  key=
  action=install
  # Piped into sh, it has no folder of its own.
  here=$(dirname "$0")
  if [ -f "$here/install.sh" ] && [ -f "$here/SHA256SUMS" ]; then from=$(cd "$here" && pwd); fi
  while [ $# -gt 0 ]; do
    case $1 in
    --uninstall) action=uninstall ;;
    --prefix | --from | --key)
      [ $# -gt 1 ] || die "$1 needs a value"
      case $1 in
      --prefix) prefix=$2 ;;
      --from) from=$2 ;;
      --key) key=$2 ;;
      esac
      shift
      ;;
    -h | --help)
      say 'sh install.sh [--prefix DIR] [--from DIR|https://URL] [--key FILE]'
      say 'sh install.sh --uninstall [--prefix DIR]'
      exit 0
      ;;
    *) die "unknown option $1 (see --help)" ;;
    esac
    shift
  done
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
  case $from in *://* | /*) ;; *) from=$PWD/$from ;; esac
  "$action"
}

# At the end: a script that was cut off while loading does nothing.
main "$@"
