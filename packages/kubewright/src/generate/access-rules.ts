import { requestInfo, type ResourceInfo } from '@kubewright/apiserver';
import type { PolicyRule } from '@kubewright/operators';

/** What a manager has asked of an API server: the method, the path with its query, and the status of the response. */
export type SentRequest = { readonly method: string; readonly path: string; readonly status: number };

/** The rights that requests need: everywhere, and in the namespace of the manager alone. */
export type AccessRules = { readonly cluster: readonly PolicyRule[]; readonly own: readonly PolicyRule[] };

export type AccessOptions = {
  /** Of the manager: of what it has there alone, it gets rights by name where requests name it. */
  readonly namespace: string;
  /** Groups of its own kinds: their rules come first. */
  readonly groups: readonly string[];
};

/** A verb on a resource, of one object or of any. */
type Need = {
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  readonly verb: string;
  readonly name: string;
  readonly isOwn: boolean;
};

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
/** Objects without a namespace that a manager has for itself: of all others it needs the kind. */
const NAMED = new Set([
  'customresourcedefinitions',
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'apiservices',
]);

/** The least rules of RBAC under which these requests are allowed, and what the runtime requests after hours alone. */
export function accessRules(requests: readonly SentRequest[], options: AccessOptions): AccessRules {
  const found = requests.flatMap((request) => needsOf(request, options.namespace));
  const own = found.filter(({ isOwn }) => isOwn);
  const everywhere = new Set(found.filter(({ isOwn }) => !isOwn).map(kindOf));
  const alone = own.filter((need) => !everywhere.has(kindOf(need)));
  const others = found.filter((need) => everywhere.has(kindOf(need)));
  return {
    own: rulesOf(alone.flatMap(withLater), options),
    cluster: rulesOf(
      others.flatMap(withLater).map((need) => (NAMED.has(need.resource) ? need : { ...need, name: '' })),
      options,
    ),
  };
}

const kindOf = ({ group, resource }: Need): string => `${group}/${resource}`;

function needsOf({ method, path, status }: SentRequest, namespace: string): readonly Need[] {
  const info = requestInfo({ method: method as 'GET', path });
  if (info?.resource === undefined) return [];
  const { group, resource, subresource, inNamespace } = info.resource;
  const need = {
    group,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    verb: info.verb,
    name: nameOf(info.resource, info.query),
    isOwn: inNamespace && info.resource.namespace === namespace,
  };
  // Who applies what is not there creates it.
  return info.verb === 'patch' && status === 201 ? [need, { ...need, verb: 'create' }] : [need];
}

/** A list or a watch of one object names it in its selector. */
function nameOf({ name }: ResourceInfo, query: URLSearchParams): string {
  if (name !== '') return name;
  return /^metadata\.name==?([^,=!]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
}

/** What follows sooner or later from what a test has seen: of a Lease, an Event, a certificate that is renewed after half a day. */
function withLater(need: Need): readonly Need[] {
  const { group, resource, verb } = need;
  const more = (...verbs: readonly string[]): readonly Need[] => [
    need,
    ...verbs.map((verb) => ({ ...need, verb })),
  ];
  if (verb === 'list') return more('watch');
  if (group === '' && resource === 'events' && verb === 'create') return more('patch');
  if (resource === 'leases' && verb === 'get') return more('update');
  if (resource === 'secrets' && verb === 'watch' && need.name !== '') return more('get', 'update');
  return [need];
}

/** Resources of one group with the same verbs, all of them or one by name. */
type Shared = {
  readonly group: string;
  readonly name: string;
  readonly verbs: readonly string[];
  readonly resources: string[];
};

function rulesOf(needs: readonly Need[], { groups }: AccessOptions): readonly PolicyRule[] {
  const rank = ({ group, resources, name }: Shared): string =>
    JSON.stringify([groups.includes(group) ? 0 : 1, group, resources, name]);
  return [...sharedVerbs(needs).values()]
    .map((shared) => ({ ...shared, resources: shared.resources.toSorted() }))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map(({ group, name, verbs, resources }) => ({
      apiGroups: [group],
      resources,
      ...(name === '' ? {} : { resourceNames: [name] }),
      verbs,
    }));
}

function sharedVerbs(needs: readonly Need[]): ReadonlyMap<string, Shared> {
  const unnamed = new Set(
    needs.filter(({ name }) => name === '').map((need) => `${kindOf(need)} ${need.verb}`),
  );
  const about = new Map<string, Need[]>();
  for (const need of needs) {
    // What it may do with all of them, it may do with each.
    if (need.name !== '' && unnamed.has(`${kindOf(need)} ${need.verb}`)) continue;
    const key = `${kindOf(need)} ${need.name}`;
    about.set(key, [...(about.get(key) ?? []), need]);
  }
  const shared = new Map<string, Shared>();
  for (const [need, ...others] of about.values()) {
    if (need === undefined) continue;
    const { group, name, resource } = need;
    const asked = new Set([need, ...others].map(({ verb }) => verb));
    const verbs = VERBS.filter((verb) => asked.has(verb));
    const key = JSON.stringify([group, name, verbs]);
    const one = shared.get(key) ?? { group, name, verbs, resources: [] };
    one.resources.push(resource);
    shared.set(key, one);
  }
  return shared;
}
