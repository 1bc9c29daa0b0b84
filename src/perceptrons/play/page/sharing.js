// Data and settings in the address, and texts to be copied. Nothing of it reaches a server.

const MOST = 1_500_000; // characters of an address

export const address = (request, lesson) =>
  `${location.origin}${location.pathname}${location.search}#${lesson ? `lesson=${lesson}` : `run=${packed(request)}`}`;

function packed(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// {lesson} or {request} of the address, or {error}; what a request holds the server checks.
export function fromAddress() {
  const hash = location.hash.slice(1);
  if (hash.startsWith("lesson=")) return { lesson: hash.slice(7) };
  if (!hash.startsWith("run=")) return {};
  try {
    if (hash.length > MOST) throw new Error("too long");
    const bytes = Uint8Array.from(atob(hash.slice(4).replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const request = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const lists = ["rows", "labels", "columns", "classes"].every((name) => Array.isArray(request[name]));
    if (!lists || typeof request.settings !== "object" || !request.settings) throw new Error("not a run");
    return { request };
  } catch {
    return { error: "The address holds no run that can be read; it may have been cut off. This is the first lesson." };
  }
}

export function offer(title, text) {
  const dialog = document.querySelector("#dialog"), area = document.querySelector("#dialog-text"), told = document.querySelector("#copied");
  document.querySelector("#dialog-title").textContent = title;
  area.value = text;
  told.textContent = "";
  document.querySelector("#copy").onclick = async () => {
    area.select();
    try { await navigator.clipboard.writeText(text); told.textContent = "Copied."; } catch { told.textContent = "Press Ctrl-C to copy."; }
  };
  dialog.showModal();
}
