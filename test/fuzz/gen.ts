import type { Json, JsonObject } from '@kubewright/kube';
import type { Choices } from './choices.ts';

/** Makes a value; `undefined` leaves it out. */
export type Gen = (random: Choices) => Json | undefined;

export const constant =
  (value: Json): Gen =>
  () =>
    value;

export const oneOf =
  (...values: readonly Json[]): Gen =>
  (random) =>
    random.pick(values);

/** `usual`, and now and then one of `odd`: what a server must reject or correct. */
export const mostly =
  (usual: Gen, ...odd: readonly Json[]): Gen =>
  (random) =>
    random.chance(0.04) ? random.pick(odd) : usual(random);

/** An object of some of the fields. */
export const some =
  (probability: number, fields: Readonly<Record<string, Gen>>): Gen =>
  (random) => {
    const entries = Object.entries(fields)
      .filter(() => random.chance(probability))
      .map(([name, gen]) => [name, gen(random)] as const)
      .filter((entry): entry is readonly [string, Json] => entry[1] !== undefined);
    return Object.fromEntries(entries);
  };

/** An object of `always`, and some of the fields. */
export const object =
  (always: Readonly<Record<string, Gen>>, probability = 0, fields: Readonly<Record<string, Gen>> = {}): Gen =>
  (random) => ({
    ...(some(1, always)(random) as JsonObject),
    ...(some(probability, fields)(random) as JsonObject),
  });

/** A map from some of `names` to values. */
export const mapOf = (names: readonly string[], value: Gen, probability = 0.4): Gen =>
  some(probability, Object.fromEntries(names.map((name) => [name, value])));

/** A list with some of the items; now and then in another order or with one twice. */
export const listOf =
  (items: readonly Gen[], probability = 0.4): Gen =>
  (random) => {
    const list = random.some(items, probability).map((gen) => gen(random));
    if (random.chance(0.2)) list.reverse();
    if (list.length > 0 && random.chance(0.02)) list.push(random.pick(list));
    return list.filter((item): item is Json => item !== undefined);
  };
