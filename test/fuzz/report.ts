import type { Json } from '@kubewright/kube';
import { isJsonArray, isJsonObject } from '@kubewright/kube';
import type { Shrunk } from './shrink.ts';

/** The places where two values differ, as lines: `path: real → embedded`. */
function differences(real: Json | undefined, embedded: Json | undefined, path = ''): string[] {
  if (JSON.stringify(real) === JSON.stringify(embedded)) return [];
  if (isJsonArray(real) && isJsonArray(embedded)) {
    const length = Math.max(real.length, embedded.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      differences(real[index], embedded[index], `${path}[${index}]`),
    );
  }
  if (isJsonObject(real) && isJsonObject(embedded)) {
    const names = [...new Set([...Object.keys(real), ...Object.keys(embedded)])];
    return names.flatMap((name) => differences(real[name], embedded[name], `${path}.${name}`));
  }
  return [`${path}\n    real     ${JSON.stringify(real)}\n    embedded ${JSON.stringify(embedded)}`];
}

/** Reports what differs, after which requests, and how to reproduce it. */
export function reportDifference({ episode, difference }: Shrunk): string {
  const requests = difference.requests.map(
    ({ method, path, contentType, body }) =>
      `  ${method} ${path}${contentType === undefined ? '' : `\n    ${contentType}`}${body === undefined ? '' : `\n    ${JSON.stringify(body)}`}`,
  );
  return [
    `The servers differ (${episode.kind.kind}, ${difference.what}) after:`,
    ...requests,
    '',
    ...differences(difference.real, difference.embedded).slice(0, 25),
    '',
    `replay: npm run fuzz -- --kind ${episode.kind.kind} --replay ${episode.operations.join(',')}`,
  ].join('\n');
}
