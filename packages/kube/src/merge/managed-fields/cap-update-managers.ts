import { compareText } from '../../json/compare-text.ts';
import { type Claims, managerIdentity, timeOf } from './managers.ts';

const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

/**
 * Keeps at most ten updaters: the oldest of a version become one, called `ancient-changes`.
 * Source: apimachinery's `capManagersManager`.
 */
export function capUpdateManagers(managers: Map<string, Claims>): Map<string, Claims> {
  const updaters = [...managers].filter(([, claims]) => claims.operation === 'Update');
  let excess = updaters.length - MAX_UPDATE_MANAGERS;
  if (excess <= 0) return managers;
  updaters.sort(([a, x], [b, y]) => timeOf(x) - timeOf(y) || compareText(a, b));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  for (const [identity, claims] of updaters) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(claims.apiVersion);
    if (first === undefined) firstOfVersion.set(claims.apiVersion, identity);
    else {
      mergeInto(capped, first, identity, claims);
      excess--;
    }
  }
  return capped;
}

/** The first of a version becomes the bucket when the second comes; the bucket has the time of the youngest in it. */
function mergeInto(managers: Map<string, Claims>, first: string, identity: string, claims: Claims): void {
  const { time: _, ...untimed } = { ...claims, manager: ANCIENT, subresource: '' };
  const bucket = managerIdentity(untimed);
  const known = managers.get(bucket) ?? managers.get(first);
  if (!managers.has(bucket)) managers.delete(first);
  managers.delete(identity);
  const set = known === undefined ? claims.set : claims.set.union(known.set);
  managers.set(bucket, { ...untimed, ...(claims.time === undefined ? {} : { time: claims.time }), set });
}
