import { getOwn, isJsonArray, isJsonObject, type Json, jsonEqual } from '@kubewright/kube';
import { formatPathElement, getElement, type PatternStep } from '@kubewright/kube/fields';
import { OperatorError } from '../../../operator-error.ts';
import type { Grounds, Place } from './place.ts';

const MOST_SHOWN = 5;

/** The item of a list that a step names by position, keys or value; the server records it by keys or value only. */
export function descendToItem(place: Place, step: PatternStep, grounds: Grounds): Place {
  const items = selected(place, step);
  if (items.length === 0 && step.type !== 'any') throw noSuchItem(place, step, grounds);
  const element = items.length === 1 ? recordedElement(place, items[0], grounds) : undefined;
  return {
    text: `${place.text}${element === undefined ? itemText(step) : formatPathElement(element)}`,
    values: items,
    path: element === undefined ? undefined : [...(place.path ?? []), element],
    node: place.node?.kind === 'list' ? place.node.items : undefined,
  };
}

/** `containers.0` is what JSON pointers say. */
function itemText(step: PatternStep): string {
  return step.type === 'field' ? `[${step.name}]` : step.text;
}

function selected(place: Place, step: PatternStep): readonly Json[] {
  const items = place.values.flatMap((list) => (isJsonArray(list) ? list : []));
  switch (step.type) {
    case 'any':
      return items;
    case 'index':
      return itemAt(place, items, step.index);
    case 'value':
      return items.filter((item) => jsonEqual(item, step.equals));
    case 'keys':
      return items.filter((item) => step.matches.every((match) => matches(item, match)));
    case 'field':
      if (!/^\d+$/.test(step.name)) throw fieldOfList(place, step.name);
      return itemAt(place, items, Number(step.name));
  }
}

type KeyMatch = Extract<PatternStep, { type: 'keys' }>['matches'][number];

function matches(item: Json, match: KeyMatch): boolean {
  const value = isJsonObject(item) ? getOwn(item, match.key) : undefined;
  if ('equals' in match) return value !== undefined && jsonEqual(value, match.equals);
  return typeof value === 'string' && match.like(value);
}

function itemAt({ values, text }: Place, items: readonly Json[], index: number): readonly Json[] {
  if (values.length > 1)
    throw new OperatorError('Usage', `${text.slice(1)} is several lists; choose an item before [${index}]`);
  return items.slice(index, index + 1);
}

function recordedElement(
  { path, values: [list] }: Place,
  item: Json | undefined,
  { claimed }: Grounds,
): string | undefined {
  if (path === undefined) return undefined;
  return claimed
    .at(path)
    .elements()
    .find((element) => getElement(list, element) === item);
}

function fieldOfList(place: Place, name: string): OperatorError {
  const list = place.text.slice(1);
  const key = (place.node?.kind === 'list' ? place.node.keys[0] : undefined) ?? 'name';
  const message = `${list} is a list; write ${list}[0].${name} or ${list}[${key}="…"].${name}`;
  return new OperatorError('Usage', message);
}

function noSuchItem(place: Place, step: PatternStep, { claimed }: Grounds): OperatorError {
  const known = place.path === undefined ? [] : claimed.at(place.path).elements();
  const shown = known.slice(0, MOST_SHOWN).map((element) => formatPathElement(element));
  const more = known.length > MOST_SHOWN ? [`${known.length - MOST_SHOWN} more`] : [];
  const hint = shown.length === 0 ? '' : `; it has ${[...shown, ...more].join(', ')}`;
  return new OperatorError('NotFound', `${place.text.slice(1)} has no item ${itemText(step)}${hint}`);
}
