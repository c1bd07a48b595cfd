import { ApiError, type ResourceRef } from '@kubewright/client';
import { compareText, corev1, KubeError, type KubeObject, type Stored } from '@kubewright/kube';
import {
  formatLabelSelector,
  type LabelSelector,
  matchesLabels,
  selectorFromLabelSelector,
} from '@kubewright/kube/selectors';
import type { Io } from '@kubewright/runtime';
import { OperatorError } from '../../operator-error.ts';
import type { CapturedKind, CaptureLabels, CaptureSelection } from '../api/manifest-capture-request.ts';
import { resolveKind } from '../requests/resolve-target.ts';
import type { LeftOut } from './create-left-out.ts';
import { whyLeftOut } from './why-left-out.ts';
import { FIRST_PAGE, pageAfter } from './page-after.ts';

/**
 * The selected objects of a namespace, kind by kind, in the order in which the server lists them. Each kind is read at
 * one moment. Ends with an `OperatorError` where a kind cannot be read whole.
 */
export async function* selectObjects(
  { kinds, labelSelector }: CaptureSelection,
  namespace: string,
  io: Pick<Io, 'client' | 'signal'>,
  leftOut: LeftOut,
): AsyncGenerator<KubeObject, void> {
  const selector = parsed(labelSelector ?? {});
  for (const kind of inOrder(kinds)) {
    const ref = await resolveKind(kind, namespace, io.client);
    if ('fault' in ref) throw new OperatorError('Failed', ref.fault);
    const read = ref.namespaced
      ? pages(ref, { namespace, labelSelector: formatLabelSelector(selector) }, io)
      : ownNamespace(namespace, selector, io);
    for await (const page of read) yield* page.filter((object) => isTaken(object, leftOut));
  }
}

function isTaken(object: KubeObject, leftOut: LeftOut): boolean {
  const why = whyLeftOut(object);
  if (why !== undefined) leftOut.add(object, why);
  return why === undefined;
}

/** Each kind once. */
function inOrder(kinds: readonly CapturedKind[]): readonly CapturedKind[] {
  const byName = new Map(kinds.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]));
  return [...byName.values()].toSorted(
    (a, b) => compareText(a.apiVersion, b.apiVersion) || compareText(a.kind, b.kind),
  );
}

function parsed(selector: CaptureLabels): LabelSelector {
  try {
    return selectorFromLabelSelector(selector);
  } catch (error) {
    if (error instanceof KubeError) throw new OperatorError('Failed', `labelSelector: ${error.message}`);
    throw error;
  }
}

type Scope = { readonly namespace: string; readonly labelSelector: string };

/** The next page is requested while one is used. */
async function* pages(
  ref: ResourceRef,
  scope: Scope,
  { client, signal }: Pick<Io, 'client' | 'signal'>,
): AsyncGenerator<readonly Stored[], void> {
  const list = (limit: number, token?: string) =>
    client.list(ref, { ...scope, limit, continue: token, signal }).catch(explain(ref));
  let next: ReturnType<typeof list> | undefined = list(FIRST_PAGE);
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof list>> = await next;
    next = page.continue === undefined ? undefined : list(pageAfter(page.items), page.continue);
    // It is awaited later, or never when its reader stops.
    next?.catch(() => undefined);
    yield page.items;
  }
}

async function* ownNamespace(
  name: string,
  selector: LabelSelector,
  { client, signal }: Pick<Io, 'client' | 'signal'>,
): AsyncGenerator<readonly Stored[], void> {
  const own = await client.get(corev1.namespaces, { name }, { signal }).catch(explain(corev1.namespaces));
  if (matchesLabels(selector, own.metadata.labels)) yield [own];
}

/** What the operator may not read stays so; anything else is tried again. */
function explain(ref: ResourceRef): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
    throw new OperatorError('Failed', `${ref.kind} is forbidden: ${error.message}`, { cause: error });
  };
}
