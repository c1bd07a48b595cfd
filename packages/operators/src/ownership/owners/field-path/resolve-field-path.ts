import type { KubeObject } from '@kubewright/kube';
import { FieldSet, parsePathPattern, type PathPattern } from '@kubewright/kube/fields';
import type { SchemaNode } from '@kubewright/kube/schema';
import { OperatorError } from '../../../operator-error.ts';
import type { Claims } from '../../read-managed-fields.ts';
import { descend, isKnownField } from './descend.ts';
import { findPlaces } from './find-places.ts';
import { inPatternSyntax } from './in-pattern-syntax.ts';
import type { Grounds, Place } from './place.ts';

/** A field of a live object, as somebody named it. */
export type FieldPath = {
  /** What selects its claims: list items by the keys that the server records, or what is owned in its place. */
  readonly pattern: string;
  /** Whether the live object has a value there. */
  readonly isSet: boolean;
  /** The field itself, where `pattern` is what lies around it and is owned as a whole. */
  readonly within?: string;
};

/** What a path is looked up in. */
export type PathGrounds = {
  readonly live: KubeObject;
  readonly claims: Claims['claims'];
  /** Undefined where the server publishes none: then every field is taken to exist. */
  readonly schema: SchemaNode | undefined;
};

/**
 * Finds what `text` names in a live object: its positions in lists become the keys of the items there, and a path that
 * begins below the root is completed where there is one such place. Throws `OperatorError` for a field that the kind
 * does not have, an item that is not there, and a beginning that is in several places; `KubeError` for what is no path.
 */
export function resolveFieldPath(text: string, { live, claims, schema }: PathGrounds): FieldPath {
  const claimed = claims.reduce((all, { set }) => all.union(set), FieldSet.EMPTY);
  const grounds: Grounds = { kind: live.kind, claimed };
  const root: Place = { text: '', values: [live], path: [], node: schema };
  const pattern = completed(parsePathPattern(inPatternSyntax(text)), live, root);
  const place = pattern.steps.reduce((at, step) => descend(at, step, grounds), root);
  const isSet = place.values.length > 0;
  const owned = `${pattern.exclude ? '!' : ''}${shown(place.whole ?? place.text)}`;
  return { pattern: owned, isSet, ...(place.whole === undefined ? {} : { within: shown(place.text) }) };
}

/** `containers[0].image` is `spec.template.spec.containers[0].image` where nothing else is called so. */
function completed(pattern: PathPattern, live: KubeObject, root: Place): PathPattern {
  const [first, ...rest] = pattern.steps;
  if (first?.type !== 'field' || isKnownField(root, first.name)) return pattern;
  const places = findPlaces(live, first.name).map(
    (place) => `${place}${rest.map((step) => step.text).join('')}`,
  );
  const [only, ...others] = places;
  if (only === undefined) return pattern;
  if (others.length === 0) return parsePathPattern(`${pattern.exclude ? '!' : ''}${only}`);
  const all = places.map(shown).join(', ');
  throw new OperatorError('Usage', `"${first.name}" is in several places; write one of ${all}`);
}

function shown(text: string): string {
  return text.replace(/^\./, '');
}
