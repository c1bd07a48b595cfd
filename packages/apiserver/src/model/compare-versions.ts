const LEVELS: Readonly<Record<string, number>> = { '': 3, beta: 2, alpha: 1 };

/** Kubernetes' order of versions, the better one greater: `v2` > `v1` > `v2beta1` > `v1alpha1` > anything else. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? 1 : -1;
}

function rank(version: string): number[] {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (parts === null) return [0, 0, 0];
  return [LEVELS[parts[2] ?? ''] ?? 0, Number(parts[1]), Number(parts[3] ?? 0)];
}
