# Homebrew formula; `npm run release` fills in version, address and checksums.
class Scrip < Formula
  desc "Buy gift cards, mobile top-ups and eSIMs with USDC from a terminal"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@BASE@/scrip-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@SHA256 darwin-arm64@"
    end
    on_intel do
      url "@BASE@/scrip-@VERSION@-darwin-x64.tar.gz"
      sha256 "@SHA256 darwin-x64@"
    end
  end

  on_linux do
    on_arm do
      url "@BASE@/scrip-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256 linux-arm64@"
    end
    on_intel do
      url "@BASE@/scrip-@VERSION@-linux-x64.tar.gz"
      sha256 "@SHA256 linux-x64@"
    end
  end

  def install
    bin.install "bin/scrip"
    man1.install "share/man/man1/scrip.1"
    bash_completion.install "share/bash-completion/completions/scrip"
    zsh_completion.install "share/zsh/site-functions/_scrip"
    fish_completion.install "share/fish/vendor_completions.d/scrip.fish"
    doc.install Dir["share/doc/scrip/*"]
  end

  def caveats
    "Uninstalling keeps your wallets (~/.local/share/scrip) and purchases (~/.local/state/scrip)."
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/scrip --version").strip
  end
end
