import { apiVersionOf, type KubeObject } from '@kubewright/kube';
import { type Conversion, ConversionNeeded } from '../model/conversion.ts';
import { inVersion, type View } from '../model/in-version.ts';
import { type Steps, wait } from '../request/steps.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Has a webhook convert objects, all of one version: in their order. Rejects with an `ApiServerError`. */
export type Convert = (
  conversion: Conversion,
  objects: readonly KubeObject[],
  apiVersion: string,
) => Promise<readonly KubeObject[]>;

type Context = { readonly convert: Convert };

/** Objects in one call of a webhook. */
const MAX_BATCH = 500;

/** Carries out a pure computation: again from its beginning once each object that it needs has been converted. */
export function* converting<T>(context: Context, compute: () => T): Steps<T> {
  for (;;) {
    try {
      return compute();
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      yield* ask(context, error.conversion, [error.object], error.apiVersion);
    }
  }
}

/** Reads an object in another version. */
export type ToVersion = (object: KubeObject, view: View) => KubeObject;

/**
 * Carries out a pure computation that makes the objects itself which it needs in other versions, so that each run asks
 * for new ones. They come in the same order each time: what one run waited for is given to the next.
 */
export function* replaying<T>(context: Context, compute: (toVersion: ToVersion) => T): Steps<T> {
  const converted = new Map<number, KubeObject>();
  for (;;) {
    let count = 0;
    let wanted: (() => KubeObject) | undefined;
    const toVersion: ToVersion = (object, view) => {
      const known = converted.get(count);
      wanted = () => inVersion(object, view);
      count += 1;
      return known ?? wanted();
    };
    try {
      return compute(toVersion);
    } catch (error) {
      if (!(error instanceof ConversionNeeded) || wanted === undefined) throw error;
      converted.set(count - 1, yield* converting(context, wanted));
    }
  }
}

/** Has objects that are to be read in one version converted together: a list needs one call of the webhook. */
export function* convertAll(context: Context, view: View, stored: readonly StoredObject[]): Steps<void> {
  const { conversion } = view;
  if (conversion === undefined) return;
  const apiVersion = apiVersionOf(view);
  const missing = stored.flatMap(({ object }) => (conversion.has(object, apiVersion) ? [] : [object]));
  for (let at = 0; at < missing.length; at += MAX_BATCH) {
    yield* ask(context, conversion, missing.slice(at, at + MAX_BATCH), apiVersion);
  }
}

/** Has an object converted whether or not it has been: kube-apiserver reads it from etcd, not from its cache. */
export function* convertAnew(context: Context, view: View, stored: StoredObject): Steps<void> {
  const { conversion } = view;
  const apiVersion = apiVersionOf(view);
  if (conversion === undefined || stored.object.apiVersion === apiVersion) return;
  yield* ask(context, conversion, [stored.object], apiVersion);
  delete stored.encodings.others;
}

function* ask(
  { convert }: Context,
  conversion: Conversion,
  objects: readonly KubeObject[],
  apiVersion: string,
): Steps<void> {
  const converted = yield* wait(convert(conversion, objects, apiVersion));
  for (const [index, object] of objects.entries()) {
    const result = converted[index];
    if (result !== undefined) conversion.remember(object, result);
  }
}
