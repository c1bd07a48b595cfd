import { ApiError, type Client, type ObjectList, type ResourceRef } from '@kubewright/client';
import { apiVersionOf, defined, type Stored } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { type Claim, type Owner, readManagedFields } from '../../read-managed-fields.ts';
import { leftoverFields, namedPath } from './leftover-fields.ts';
import { recordOf } from './record-of.ts';
import { splitOwnership } from './split-ownership.ts';

/** Objects per page: what is in memory at a time. */
const PAGE = 500;
/** Paths that are kept of each object, as examples. */
const EXAMPLES = 3;
/** How often a list whose pages have expired begins again. */
const ATTEMPTS = 3;

/** An object that two managers share. */
export type SplitObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The number of shared fields, and the first of them. */
  readonly fields: number;
  readonly paths: readonly string[];
  /** The options of `owners plan` for the record of the tool that applies it, where the object names one. */
  readonly record?: string;
};

/** The items of a list may lack them. */
type KindOf = ResourceRef | Pick<Stored, 'apiVersion' | 'kind'>;

/** An object with an entry that the server cannot decode. */
export type UnreadableObject = Omit<SplitObject, 'fields' | 'paths'> & {
  readonly manager: string;
  readonly problem: string;
};

export type FoundSplit = { readonly applier: Owner; readonly other: Owner; readonly object: SplitObject };

/** An object with fields that nobody applies any more. `owners` are those of all of them. */
export type LeftoverObject = SplitObject & { readonly owners: readonly string[] };

/** The result for one kind. */
export type KindScan = {
  readonly objects: number;
  /** Objects with at least one split. */
  readonly split: number;
  readonly splits: readonly FoundSplit[];
  readonly unreadable: readonly UnreadableObject[];
  readonly leftovers: readonly LeftoverObject[];
};

/** Which objects of a kind are scanned. */
export type ScanFilter = {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal: AbortSignal;
  /** Called after each page with the number of objects so far. */
  readonly onPage: (objects: number) => void;
};

/** Reads all objects of a kind, page by page, and keeps only what is split. */
export async function scanKind(
  client: Pick<Client, 'list'>,
  ref: ResourceRef,
  filter: ScanFilter,
): Promise<KindScan> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await scanPages(client, ref, filter);
    } catch (error) {
      // The pages are of one resourceVersion, which the server has compacted meanwhile.
      if (!(error instanceof ApiError) || error.code !== 410 || attempt === ATTEMPTS) throw error;
    }
  }
}

async function scanPages(
  client: Pick<Client, 'list'>,
  ref: ResourceRef,
  { onPage, ...filter }: ScanFilter,
): Promise<KindScan> {
  const splits: FoundSplit[] = [];
  const unreadable: UnreadableObject[] = [];
  const leftovers: LeftoverObject[] = [];
  let objects = 0;
  let split = 0;
  let next: string | undefined;
  do {
    const page: ObjectList = await client.list(ref, {
      ...filter,
      limit: PAGE,
      ...defined({ continue: next }),
    });
    for (const object of page.items) {
      const found = scanObject(object, ref);
      if (found.splits.length > 0) split++;
      splits.push(...found.splits);
      unreadable.push(...found.unreadable);
      leftovers.push(...found.leftovers);
    }
    objects += page.items.length;
    onPage(objects);
    next = page.continue;
  } while (next !== undefined);
  return { objects, split, splits, unreadable, leftovers };
}

/** What is split on one object. */
export function scanObject(
  object: Stored,
  ref: KindOf,
): Pick<KindScan, 'splits' | 'unreadable' | 'leftovers'> {
  const { claims, undecodable } = readManagedFields(object);
  const identity = identityOf(object, ref);
  return {
    splits: splitOwnership(claims).map(({ applier, other, shared }) => ({
      applier,
      other,
      object: {
        ...identity,
        fields: shared.size,
        paths: firstOf(shared.paths()),
        ...defined({ record: recordOf(object.metadata, applier.manager) }),
      },
    })),
    unreadable: undecodable.map((entry) => ({ ...identity, ...entry })),
    leftovers: leftoversOf(object, claims).map((leftover) => ({ ...identity, ...leftover })),
  };
}

function leftoversOf(object: Stored, claims: readonly Claim[]) {
  const fields = leftoverFields(object, claims);
  if (fields.length === 0) return [];
  const owners = [...new Set(fields.flatMap((one) => one.owners))];
  return [
    { fields: fields.length, paths: fields.slice(0, EXAMPLES).map(({ path }) => namedPath(path)), owners },
  ];
}

function identityOf({ metadata }: Stored, ref: KindOf) {
  const { namespace, name } = metadata;
  const apiVersion = 'apiVersion' in ref ? ref.apiVersion : apiVersionOf(ref);
  return defined({ apiVersion, kind: ref.kind, namespace, name });
}

function firstOf(paths: Iterable<readonly string[]>): readonly string[] {
  const first: string[] = [];
  for (const path of paths) {
    first.push(formatPath(path));
    if (first.length === EXAMPLES) break;
  }
  return first;
}
