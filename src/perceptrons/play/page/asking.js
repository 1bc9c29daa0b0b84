// Requests to the server that gave out this page. The token, where there is one, is in the page's address.

const token = new URLSearchParams(location.search).get("token");
const headers = { "Content-Type": "application/json", ...(token ? { "X-Playground-Token": token } : {}) };

// The answer, or {error: a sentence}.
export async function ask(path, body, signal) {
  try {
    const answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
    const isJSON = answer.headers.get("Content-Type")?.startsWith("application/json");
    return isJSON ? await answer.json() : { error: (await answer.text()).trim() };
  } catch (error) {
    if (error.name === "AbortError") return { aborted: true };
    return { error: "The playground does not answer; is `perceptrons play` still running?" };
  }
}
