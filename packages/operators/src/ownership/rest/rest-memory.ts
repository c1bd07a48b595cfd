import { compareResourceVersions } from '@kubewright/kube';
import type { Request } from '@kubewright/runtime';
import type { Remembered } from './is-at-rest.ts';

/** So many objects are remembered; beyond, the slices that were worked on longest ago are forgotten. */
const MOST_OBJECTS = 50_000;
/**
 * A change that a watch reports so soon after a reconcile may have happened before it, while the watch was behind: the
 * object is looked at again.
 */
const LAG_MS = 60_000;

/** What is remembered of a slice and its objects, by their keys. */
export type SliceRest = {
  readonly request: Request;
  readonly uid: string;
  /** Digest of what the manifests take from their Composition. */
  readonly owner: string;
  readonly objects: Map<string, Remembered>;
  /** The slice as this process last read or wrote it; undefined: it has to be read again. */
  version?: string | undefined;
  /** That nothing at all is to be done, as long as all this stays as it is. */
  whole?: { readonly of: string; readonly until: number; readonly requeueAfter?: number } | undefined;
  /** Objects of which a watch has reported another version since the last look. */
  readonly late: Set<string>;
  /** When a change of something else than an object had it reconciled. */
  reconciledAt?: number;
};

/** What the last looks at objects found. It is in memory only: a new process looks at everything once. */
export class RestMemory {
  /** By `namespace/name`; the last one that was worked on is last. */
  readonly #slices = new Map<string, SliceRest>();
  /** The slice that remembers an object. */
  readonly #sliceOf = new Map<string, SliceRest>();
  readonly #triggered = new Set<string>();

  of(request: Request, uid: string): SliceRest | undefined {
    const known = this.#slices.get(textOf(request));
    return known?.uid === uid ? known : undefined;
  }

  /** What is remembered of a slice that is about to be worked on; nothing where its Composition says something else now. */
  begin(request: Request, uid: string, owner: string): SliceRest {
    const text = textOf(request);
    const known = this.#slices.get(text);
    const isSame = known?.uid === uid && known.owner === owner;
    const kept: SliceRest = isSame
      ? known
      : {
          request,
          uid,
          owner,
          objects: new Map(),
          late: new Set(),
          version: known?.uid === uid ? known.version : undefined,
        };
    if (!isSame) this.forget(request);
    this.#slices.delete(text);
    this.#slices.set(text, kept);
    return kept;
  }

  /** Nothing is kept of a slice that was forgotten since it was begun. */
  remember(request: Request, key: string, object: Remembered): void {
    const slice = this.#slices.get(textOf(request));
    if (slice === undefined) return;
    // Where two slices have an object, each looks at it.
    const before = this.#sliceOf.get(key);
    if (before !== undefined && before !== slice) drop(before, key);
    // A copy takes no more room than its properties do.
    slice.objects.set(key, { ...object });
    slice.late.delete(key);
    this.#sliceOf.set(key, slice);
    for (const oldest of this.#slices.values()) {
      if (this.#sliceOf.size <= MOST_OBJECTS || oldest === slice) break;
      this.forget(oldest.request);
    }
  }

  forgetObject(request: Request, key: string): void {
    const slice = this.#slices.get(textOf(request));
    if (slice !== undefined) this.#forgetOf(slice, key);
  }

  forget(request: Request): void {
    const text = textOf(request);
    const slice = this.#slices.get(text);
    for (const key of slice?.objects.keys() ?? [])
      if (this.#sliceOf.get(key) === slice) this.#sliceOf.delete(key);
    this.#slices.delete(text);
  }

  /** The next reconcile reads the slice from the server. */
  readAgain(request: Request): void {
    const known = this.#slices.get(textOf(request));
    if (known !== undefined) known.version = undefined;
  }

  /** Something else than an object has changed, because of which the slice is reconciled. */
  noteTrigger(request: Request): void {
    this.#triggered.add(textOf(request));
  }

  /** Whether there was a trigger since the last call. */
  takeTrigger(request: Request): boolean {
    return this.#triggered.delete(textOf(request));
  }

  /**
   * A watch reports another version of an object, or its end, after which nothing of it is kept. Returns the slice that has
   * to look at it, where its last reconcile may have relied on a watch that was behind.
   */
  changed(key: string, version: string | undefined, time: number): Request | undefined {
    const slice = this.#sliceOf.get(key);
    const known = slice?.objects.get(key);
    if (slice === undefined || known === undefined) return undefined;
    if (version === undefined) this.#forgetOf(slice, key);
    else if (slice.late.has(key) || !isNews(version, known.version)) return undefined;
    else {
      slice.whole = undefined;
      slice.late.add(key);
    }
    const { reconciledAt, request } = slice;
    return reconciledAt !== undefined && time - reconciledAt < LAG_MS ? request : undefined;
  }

  /** The objects of a group whose schemas have changed. Returns the slices that have any, as {@link changed} does. */
  changedGroup(group: string, time: number): readonly Request[] {
    const keys = [...this.#sliceOf.keys()].filter((key) => key.startsWith(`${group}/`));
    return keys.flatMap((key) => this.changed(key, undefined, time) ?? []);
  }

  #forgetOf(slice: SliceRest, key: string): void {
    drop(slice, key);
    if (this.#sliceOf.get(key) === slice) this.#sliceOf.delete(key);
  }
}

function drop(slice: SliceRest, key: string): void {
  slice.whole = undefined;
  slice.objects.delete(key);
  slice.late.delete(key);
}

/** Older ones are of writes that the last look has seen. */
function isNews(version: string, known: string): boolean {
  if (version === known) return false;
  const [[uid = '', at = ''], [knownUid = '', knownAt = '']] = [version.split(' '), known.split(' ')];
  return uid !== knownUid || (compareResourceVersions(at, knownAt) ?? 1) > 0;
}

function textOf({ namespace = '', name }: Request): string {
  return `${namespace}/${name}`;
}
