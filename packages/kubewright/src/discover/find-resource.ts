import type { Discovered, ResourceRef } from '@kubewright/client';
import { KubewrightError } from '../kubewright-error.ts';

/**
 * The resource that people call `name`: plural, singular, short name or kind, perhaps with `.group` behind it. As with
 * kubectl, the core group goes before all others, and a group whose API server is unavailable hides only its own.
 */
export function findResource(name: string, { resources, stale }: Discovered): ResourceRef {
  const [word = '', ...groupParts] = name.toLowerCase().split('.');
  const wanted = groupParts.join('.');
  const found = resources.find(({ ref, names }) => names.includes(word) && isInGroup(ref.group, wanted));
  if (found !== undefined) return found.ref;
  const unread = stale.length === 0 ? '' : ` (${stale.join(', ')}: the API server behind it is unavailable)`;
  throw new KubewrightError(
    'NotFound',
    `the server has no resource "${name}"; "kubectl api-resources" lists what it has${unread}`,
  );
}

function isInGroup(group: string, wanted: string): boolean {
  return wanted === '' || group === wanted || group.startsWith(`${wanted}.`);
}
