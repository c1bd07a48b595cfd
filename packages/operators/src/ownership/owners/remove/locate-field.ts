import { getOwn, isJsonArray, isJsonObject, type Json, jsonEqual } from '@kubewright/kube';
import type { PathPattern, PatternStep } from '@kubewright/kube/fields';

/** Where a field of an object is: an RFC 6901 pointer, and its value. */
export type LocatedField = { readonly pointer: string; readonly value: Json };

/** The one field that a pattern names in an object; undefined where there is none. An item may be named by position. */
export function locateField(root: Json, { steps }: Pick<PathPattern, 'steps'>): LocatedField | undefined {
  let at: LocatedField | undefined = { pointer: '', value: root };
  for (const step of steps) at = at === undefined ? undefined : below(at, step);
  return at;
}

function below({ pointer, value }: LocatedField, step: PatternStep): LocatedField | undefined {
  if (step.type === 'field') {
    const child = isJsonObject(value) ? getOwn(value, step.name) : undefined;
    const name = step.name.replaceAll('~', '~0').replaceAll('/', '~1');
    return child === undefined ? undefined : { pointer: `${pointer}/${name}`, value: child };
  }
  if (!isJsonArray(value)) return undefined;
  const index = value.findIndex((item, position) => isMeant(item, position, step));
  const item = value[index];
  return item === undefined ? undefined : { pointer: `${pointer}/${index}`, value: item };
}

/** Only what names one item: a removal is of nothing that was not named. */
function isMeant(item: Json, position: number, step: PatternStep): boolean {
  switch (step.type) {
    case 'index':
      return position === step.index;
    case 'value':
      return jsonEqual(item, step.equals);
    case 'keys':
      return step.matches.every((match) => {
        const is = isJsonObject(item) ? getOwn(item, match.key) : undefined;
        return 'equals' in match && is !== undefined && jsonEqual(is, match.equals);
      });
    default:
      return false;
  }
}
