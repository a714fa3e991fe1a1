// A program in the part of an address behind "#": compressed, in the letters of base64url. It is never sent to a server.

const LARGEST = 200_000; // letters; more than a person writes, and no bomb

export async function linked(name, text) {
  const bytes = new TextEncoder().encode(JSON.stringify({ name, text }));
  const packed = await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).bytes();
  const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return `#p=${letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

// The program of an address; null if there is none, or it cannot be read.
export async function unlinked(hash) {
  if (!hash.startsWith("#p=")) return null;
  try {
    const letters = atob(hash.slice(3).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const pieces = [];
    let length = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      length += piece.value.length;
      if (length > LARGEST) return null;
      pieces.push(piece.value);
    }
    const { name, text } = JSON.parse(await new Blob(pieces).text());
    return typeof name === "string" && typeof text === "string" ? { name, text } : null;
  } catch {
    return null;
  }
}
