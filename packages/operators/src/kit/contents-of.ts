import { ApiError, type Client, ignoreNotFound, type ObjectList } from '@kubewright/client';
import { apiextensionsv1, defined, type KubeObject, type ResourceRef, type Stored } from '@kubewright/kube';
import { BUILT_IN_KINDS } from './built-in-kinds.ts';

/** Objects per page: what is in memory at a time. */
const PAGE = 100;

type Definition = apiextensionsv1.CustomResourceDefinition;

/** A namespace, or a definition: its deletion deletes others, whoever has them. */
export type Container =
  | { readonly type: 'namespace'; readonly namespace: string }
  | { readonly type: 'definition'; readonly group: string; readonly kind: string };

/** Undefined: the deletion of the object deletes nothing but what it owns. */
export function containerOf(live: KubeObject): Container | undefined {
  const { name = '' } = live.metadata;
  if (live.apiVersion === 'v1' && live.kind === 'Namespace') return { type: 'namespace', namespace: name };
  if (!isDefinition(live)) return undefined;
  return { type: 'definition', group: live.spec.group, kind: live.spec.names.kind };
}

/**
 * What the server deletes with an object: all that is in a namespace, as far as it may be listed, and all resources of a
 * definition. Page by page.
 */
export async function* contentsOf(client: Client, live: Stored): AsyncGenerator<readonly Stored[]> {
  if (isDefinition(live)) yield* pagesOf(client, refOf(live), undefined);
  else if (containerOf(live) !== undefined) yield* namespaceContents(client, live.metadata.name);
}

async function* namespaceContents(client: Client, name: string): AsyncGenerator<readonly Stored[]> {
  for await (const refs of namespacedKinds(client))
    for (const ref of refs) yield* unlessForbidden(pagesOf(client, ref, name));
}

async function* namespacedKinds(client: Client): AsyncGenerator<readonly ResourceRef[]> {
  yield BUILT_IN_KINDS.filter(({ namespaced }) => namespaced);
  for await (const page of pagesOf(client, apiextensionsv1.customresourcedefinitions, undefined))
    yield page.map(refOf).filter(({ namespaced }) => namespaced);
}

/** A namespace has kinds that are none of the account's business. */
async function* unlessForbidden<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 403) throw error;
  }
}

function isDefinition(live: KubeObject): live is Stored<Definition> {
  return live.apiVersion === 'apiextensions.k8s.io/v1' && live.kind === 'CustomResourceDefinition';
}

/** At any version that is served: all of them have the same objects. */
function refOf({ spec: { group, names, scope, versions } }: Definition): ResourceRef {
  const version = versions.find(({ served }) => served)?.name ?? '';
  return { group, version, resource: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' };
}

async function* pagesOf<T extends KubeObject>(
  client: Client,
  ref: ResourceRef<T>,
  namespace: string | undefined,
): AsyncGenerator<readonly Stored<T>[]> {
  let next: string | undefined;
  do {
    const page: ObjectList<T> | undefined = await ignoreNotFound(
      client.list(ref, { limit: PAGE, ...defined({ namespace, continue: next }) }),
    );
    if (page === undefined) return;
    yield page.items;
    next = page.continue;
  } while (next !== undefined);
}
