import type { KubeObject } from '@kubewright/kube';
import { FieldSet, parsePathPattern, type PathPattern } from '@kubewright/kube/fields';
import type { SchemaNode } from '@kubewright/kube/schema';
import { OperatorError } from '../../../operator-error.ts';
import type { Claims } from '../../read-managed-fields.ts';
import { descend, isKnownField } from './descend.ts';
import { findPlaces } from './find-places.ts';
import { inPatternSyntax } from './in-pattern-syntax.ts';
import type { Grounds, Place } from './place.ts';

/** A resolved field of a live object. */
export type FieldPath = {
  /** Selects its owners: list items by their recorded keys, or the surrounding field that is owned as a whole. */
  readonly pattern: string;
  /** Whether the live object has a value there. */
  readonly isSet: boolean;
  /** The field itself, if `pattern` is the surrounding field. */
  readonly within?: string;
};

/** What a path is resolved in. */
export type PathGrounds = {
  readonly live: KubeObject;
  readonly claims: Claims['claims'];
  /** Undefined if the server publishes none: then every field is taken to exist. */
  readonly schema: SchemaNode | undefined;
};

/**
 * Resolves `text` in a live object: list positions become the items' keys, and a path that starts below the root is
 * completed if there is one such place. Throws `OperatorError` for an unknown field, a missing item or an ambiguous
 * start; `KubeError` for a malformed path.
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

/** `containers[0].image` is short for `spec.template.spec.containers[0].image` if that is the only match. */
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
