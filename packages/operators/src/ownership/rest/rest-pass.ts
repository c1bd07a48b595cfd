import { hasFinalizer, type Request, type Result } from '@kubewright/runtime';
import { compareResourceVersions, defined, type Stored } from '@kubewright/kube';
import {
  ANNOTATION_PREFIX,
  CLEANUP_FINALIZER,
  type Composition,
  type ManifestState,
  type ResourceSlice,
} from '../api.ts';
import { ownerVariables } from '../cel-variables.ts';
import { manifestKey } from '../inventory.ts';
import type { DesiredManifest } from '../read-manifest.ts';
import { holdsValues } from './holds-values.ts';
import { isAtRest, isUnchanged, type Now, type Remembered } from './is-at-rest.ts';
import type { ObjectVersions } from './object-versions.ts';
import { type Look, type Rest, restOf } from './rest-of.ts';
import type { RestMemory, SliceRest } from './rest-memory.ts';
import { textDigest } from './text-digest.ts';

/** A look counts for an hour at most, and for half of one at least: not all objects are looked at in the same reconcile. */
const COUNTS_MS = 60 * 60_000;
/** A look counts for so long where the object has other values than its manifest: a webhook may change its mind. */
const OVERRULED_MS = 5 * 60_000;

/** With what the operator remembers. Only simulations replace `isAtRest`. */
export type RestTools = {
  readonly memory: RestMemory;
  readonly versions: ObjectVersions;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly isAtRest?: typeof isAtRest;
};

export type RestScene = {
  readonly request: Request;
  readonly slice: SliceRest;
  readonly composition: Composition;
};

/** A manifest of a slice whose object may be at rest. `text` is the manifest as the slice has it. */
export type RestItem = { readonly manifest: DesiredManifest; readonly text: string };

/** What is remembered of the objects of a slice, in one reconcile of it. */
export class RestPass {
  readonly #tools: RestTools;
  readonly #request: Request;
  readonly #slice: SliceRest;
  readonly #composition: Composition;
  readonly #versionOf: ReturnType<ObjectVersions['now']>;
  /** The keys of the objects that are at rest, and until when a look at all of them counts. */
  readonly #resting = new Set<string>();
  #until = Number.POSITIVE_INFINITY;

  constructor(tools: RestTools, { request, slice, composition }: RestScene) {
    this.#tools = tools;
    this.#request = request;
    this.#slice = slice;
    this.#composition = composition;
    this.#versionOf = tools.versions.now();
  }

  get resting(): number {
    return this.#resting.size;
  }

  /** The result for an object at which nothing has changed; `undefined`: it has to be looked at. */
  known(
    item: RestItem,
    state: ManifestState,
  ): (Pick<Rest, 'readySince'> & { readonly result: Result }) | undefined {
    const key = manifestKey(item.manifest);
    const remembered = this.#slice.objects.get(key);
    const { isAtRest: decide = isAtRest } = this.#tools;
    if (remembered === undefined || !decide(remembered, this.#now(remembered, item, state))) return undefined;
    this.#rests(key, remembered);
    const { readySince, requeueAfter } = remembered;
    return { ...defined({ readySince }), result: defined({ requeueAfter }) };
  }

  /** The uid and the resourceVersion at which a changed manifest may be applied at once, as far as the object goes. */
  unchanged(item: RestItem, state: ManifestState): string | undefined {
    const remembered = this.#slice.objects.get(manifestKey(item.manifest));
    const isSame = remembered !== undefined && remembered.settings === settingsOf(item.manifest);
    return isSame && remembered.isPlain && isUnchanged(remembered, this.#now(remembered, item, state))
      ? remembered.version
      : undefined;
  }

  /** What was remembered counts no more: the object is about to be looked at, or written. */
  forget({ manifest }: RestItem): void {
    this.#tools.memory.forgetObject(this.#request, manifestKey(manifest));
  }

  /** A look has ended. */
  note(item: RestItem, look: Look): void {
    const { memory, versions, monotonic, random } = this.#tools;
    const rest = restOf(look);
    if (rest === undefined || !versions.begin(item.manifest.object)) return;
    const remembered = {
      ...rest,
      place: versions.placeOf(item.manifest.object),
      manifest: manifestDigest(item, this.#composition),
      settings: settingsOf(item.manifest),
      until: monotonic() + (isOverruled(look) ? OVERRULED_MS : (COUNTS_MS * (1 + random())) / 2),
    };
    const key = manifestKey(item.manifest);
    memory.remember(this.#request, key, remembered);
    this.#rests(key, remembered);
  }

  /** The result of the last reconcile, if that found nothing to do and nothing has changed since. */
  whole(of: string): Result | undefined {
    const { whole, objects } = this.#slice;
    if (whole === undefined || whole.of !== of || this.#tools.monotonic() >= whole.until) return undefined;
    for (const { place, version } of objects.values())
      if (this.#versionOf(place) !== version) return undefined;
    return defined({ requeueAfter: whole.requeueAfter });
  }

  /**
   * All objects of the slice are at rest: nothing is to be done about it, until something changes of what it was reconciled
   * by. Others are not the slice's any more, and one that was forgotten since its look has to be looked at again.
   */
  noteWhole(of: string, { requeueAfter }: Result): void {
    for (const key of this.#slice.objects.keys())
      if (!this.#resting.has(key)) this.#tools.memory.forgetObject(this.#request, key);
    if (this.#slice.objects.size < this.#resting.size) return;
    this.#slice.whole = { of, until: this.#until, ...defined({ requeueAfter }) };
  }

  #now({ place }: Remembered, item: RestItem, state: ManifestState): Now {
    const time = this.#tools.monotonic();
    const manifest = manifestDigest(item, this.#composition);
    return { version: this.#versionOf(place), manifest, state, time };
  }

  #rests(key: string, { until }: Remembered): void {
    this.#resting.add(key);
    this.#until = Math.min(this.#until, until);
  }
}

/** Whether an apply of the manifest would leave the object with other values, because of a webhook. */
function isOverruled({ observed: { manifest, live }, decision }: Look): boolean {
  return live !== undefined && decision.reason === 'InSync' && !holdsValues(manifest.object, live);
}

/** What all manifests take from their Composition. */
export function ownerDigest({ metadata }: Composition): string {
  const { uid = '', deletionTimestamp = '', annotations = {} } = metadata;
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(ANNOTATION_PREFIX));
  return textDigest(JSON.stringify([uid, deletionTimestamp, own]));
}

/** What one manifest is: overrides see more of the Composition. */
function manifestDigest({ manifest, text }: RestItem, composition: Composition): string {
  const seen = manifest.overridden === undefined ? '' : JSON.stringify(ownerVariables(composition));
  return textDigest(`${seen}\n${text}`);
}

function settingsOf({ settings, object: { apiVersion } }: DesiredManifest): string {
  return textDigest(JSON.stringify([apiVersion, settings]));
}

/**
 * Whether a reconcile may work with the slice as the cache has it: this process has brought its objects about before, and
 * has seen no newer state of it.
 */
export function isCacheCurrent(
  cached: Stored<ResourceSlice>,
  { version }: Pick<SliceRest, 'version'>,
): boolean {
  const { deletionTimestamp, resourceVersion } = cached.metadata;
  if (version === undefined || deletionTimestamp !== undefined) return false;
  const isBehind = (compareResourceVersions(resourceVersion, version) ?? -1) < 0;
  return hasFinalizer(cached, CLEANUP_FINALIZER) && !isBehind;
}
