import { controllerOf, type Stored } from '@kubewright/kube';
import type { AnyKindApi } from '../../kit/any-kind-api.ts';
import { containerOf } from '../../kit/contents-of.ts';
import { appliers, markHolders } from './tool-holders.ts';

/**
 * Which tools have something that the server would delete with an object: the first of each page that has any. In a
 * namespace only the marks of tools count, because controllers apply what they make there of other objects; of a definition,
 * the appliers of its resources do too.
 */
export async function containedHolders(
  live: Stored,
  api: Pick<AnyKindApi, 'contents'>,
): Promise<readonly string[]> {
  const container = containerOf(live);
  if (container === undefined) return [];
  for await (const page of api.contents(live)) {
    const holders = page.filter(isPrimary).flatMap((one) => holdersOf(one, container.type === 'definition'));
    if (holders.length > 0) return [...new Set(holders)];
  }
  return [];
}

function holdersOf(one: Stored, withAppliers: boolean): readonly string[] {
  const { namespace, name } = one.metadata;
  const title = `${one.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  return [...markHolders(one), ...(withAppliers ? appliers(one) : [])].map(
    (holder) => `${holder} (${title})`,
  );
}

/** What a controller made of something else goes with that, and what is being deleted goes anyway. */
function isPrimary(one: Stored): boolean {
  return one.metadata.deletionTimestamp === undefined && controllerOf(one) === undefined;
}
