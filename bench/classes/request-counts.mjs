/** Requests per class that are not worth a word. */
const HIDDEN = 0.05;

/** How many requests each component sent per class, by verb and resource; `failed` ones with their status. */
export function requestCounts(requests, classes) {
  const components = new Map();
  for (const request of requests) {
    const component = componentOf(request);
    const counts = components.get(component) ?? new Map();
    components.set(component, counts);
    counts.set(whatOf(request), (counts.get(whatOf(request)) ?? 0) + 1);
  }
  const lines = [...components]
    .map(([component, counts]) => ({ component, counts, total: sum(counts.values()) / classes }))
    .filter(({ total }) => total >= HIDDEN)
    .toSorted((a, b) => b.total - a.total)
    .map(({ component, counts, total }) => `${component} ${total.toFixed(2)}: ${listed(counts, classes)}`);
  return { perClass: requests.length / classes, lines };
}

function listed(counts, classes) {
  return [...counts]
    .map(([what, count]) => ({ what, each: count / classes }))
    .filter(({ each }) => each >= HIDDEN)
    .toSorted((a, b) => b.each - a.each)
    .map(({ what, each }) => `${what} ${each.toFixed(2)}`)
    .join(', ');
}

function sum(numbers) {
  return [...numbers].reduce((a, b) => a + b, 0);
}

/** The service account, or else the user; all nodes are one. */
function componentOf({ user, impersonated = user }) {
  return impersonated.startsWith('system:node:') ? 'nodes' : impersonated.split(':').at(-1);
}

function whatOf({ verb, resource = '', subresource = '', status }) {
  const failed = status >= 400 ? ` (${status})` : '';
  return `${verb} ${subresource === '' ? resource : `${resource}/${subresource}`}${failed}`;
}
