import { getOwn, isJsonArray, isJsonObject, type Json } from '@kubewright/kube';
import { field, type FieldSet, type Path, type PatternStep } from '@kubewright/kube/fields';
import type { SchemaNode } from '@kubewright/kube/schema';
import { OperatorError } from '../../../operator-error.ts';
import { closestName } from './closest-name.ts';
import { fieldText } from './in-pattern-syntax.ts';
import { descendToItem } from './descend-to-item.ts';
import type { Grounds, Place } from './place.ts';

/** One step further. Throws `OperatorError` where there can be nothing. */
export function descend(place: Place, step: PatternStep, grounds: Grounds): Place {
  const whole = place.whole ?? (isOwnedWhole(place, grounds) ? place.text : undefined);
  const next = isList(place) ? descendToItem(place, step, grounds) : descendToField(place, step, grounds);
  return { ...next, whole };
}

/** Whether the live object or the schema has this field there; undecided without a schema. */
export function isKnownField(place: Place, name: string): boolean {
  return (
    place.values.some((value) => isJsonObject(value) && Object.hasOwn(value, name)) || mayHave(place, name)
  );
}

function mayHave({ node }: Place, name: string): boolean {
  if (node?.kind === 'scalar') return false;
  if (node?.kind !== 'struct') return node !== undefined;
  return node.fields.has(name) || node.values !== undefined || node.preserveUnknown || node.embeddedResource;
}

function isList({ values, node }: Place): boolean {
  return values.length === 0 ? node?.kind === 'list' : values.some(isJsonArray);
}

function descendToField(place: Place, step: PatternStep, grounds: Grounds): Place {
  switch (step.type) {
    case 'keys':
    case 'value':
      throw new OperatorError('Usage', `${place.text.slice(1)} is no list`);
    case 'any':
      return descendToAny(place, step.text);
    case 'field':
      return descendToName(place, step.name, grounds);
    case 'index':
      return descendToName(place, String(step.index), grounds);
  }
}

function descendToAny({ text, values, node }: Place, written: string): Place {
  const below = values.flatMap((value) => (isJsonObject(value) ? Object.values(value) : []));
  return { text: `${text}${written}`, values: below, path: undefined, node: valuesOf(node) };
}

function descendToName(place: Place, name: string, grounds: Grounds): Place {
  const { text, node } = place;
  const values = place.values.flatMap((value) => memberOf(value, name));
  const path = place.path && [...place.path, field(name)];
  const isThere = values.length > 0 || (path !== undefined && isClaimedAt(grounds.claimed, path));
  if (!isThere && node !== undefined && !mayHave(place, name)) throw unknownField(place, name, grounds);
  return { text: `${text}${fieldText(name)}`, values, path, node: fieldOf(node, name) };
}

/** The value of a field, if it is there. */
function memberOf(value: Json, name: string): readonly Json[] {
  const found = isJsonObject(value) ? getOwn(value, name) : undefined;
  return found === undefined ? [] : [found];
}

function isClaimedAt(claimed: FieldSet, path: Path): boolean {
  return claimed.has(path) || !claimed.at(path).isEmpty;
}

function fieldOf(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  return node?.kind === 'struct' ? (node.fields.get(name)?.node ?? node.values) : valuesOf(node);
}

function valuesOf(node: SchemaNode | undefined): SchemaNode | undefined {
  return node?.kind === 'map' || node?.kind === 'struct' ? node.values : undefined;
}

function unknownField({ text, node }: Place, name: string, { kind }: Grounds): OperatorError {
  const at = (field: string): string => `${text}${fieldText(field)}`.slice(1);
  const meant = node?.kind === 'struct' ? closestName(name, node.fields.keys()) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${at(meant)}?`;
  return new OperatorError('NotFound', `${kind} has no field ${at(name)}${hint}`);
}

/** One leaf for the server: nothing in it is recorded by itself. */
function isOwnedWhole({ path, values, node }: Place, { claimed }: Grounds): boolean {
  if (path === undefined || path.length === 0 || !claimed.has(path) || !claimed.at(path).isEmpty)
    return false;
  const [value] = values;
  // An empty struct is recorded in the same way.
  return value !== undefined && isFilled(value) && isAtomic(node, value);
}

function isFilled(value: Json): boolean {
  return isJsonArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function isAtomic(node: SchemaNode | undefined, value: Json): boolean {
  switch (node?.kind) {
    case 'struct':
    case 'map':
      return node.atomic;
    case 'list':
      return node.listType === 'atomic';
    case 'any':
      return node.atomic === true || isJsonArray(value);
    default:
      return true;
  }
}
