import type { JsonObject } from '../json/json.ts';
import type { Field } from './schema-node.ts';

/**
 * What Kubernetes' Go types do that `/openapi/v3` does not say, by OpenAPI definition (made by `tools/catalogue`).
 * A field's fact is `<zero>[:<go type>[:<embedded Go fields>]]`; a field that is only `d` is left out.
 */
export type GoTypes = { readonly [definition: string]: GoType };
/** One Go struct: the name that errors print, and facts of its fields. */
export type GoType = { readonly go: string; readonly fields: { readonly [field: string]: string } };

type GoFacts = Pick<Field, 'zero' | 'goType' | 'goEmbedded'>;

const zeros: Readonly<Record<string, Field['zero']>> = { d: 'dropped', w: 'written', k: 'kept', n: 'null' };

/** The facts of one field. Without a Go type nothing is written that was not sent. */
export function goFacts(type: GoType | undefined, field: string): GoFacts {
  if (type === undefined) return { zero: 'kept' };
  const fact = Object.hasOwn(type.fields, field) ? type.fields[field] : undefined;
  const [zero = 'd', goType = '', goEmbedded = ''] = (fact ?? 'd').split(':');
  return {
    zero: zeros[zero] ?? 'dropped',
    ...(goType === '' ? {} : { goType }),
    ...(goEmbedded === '' ? {} : { goEmbedded }),
  };
}

/** Reads the output of `tools/catalogue`, keeps `names`, and leaves out what {@link goFacts} assumes anyway. */
export function selectGoTypes(all: GoTypes, names: Iterable<string>): GoTypes & JsonObject {
  const kept: Record<string, { go: string; fields: Record<string, string> }> = {};
  for (const name of names) {
    const type = Object.hasOwn(all, name) ? all[name] : undefined;
    if (type === undefined) continue;
    const fields = Object.entries(type.fields).filter(([, fact]) => fact !== 'd');
    kept[name] = { go: type.go, fields: Object.fromEntries(fields) };
  }
  return kept;
}
