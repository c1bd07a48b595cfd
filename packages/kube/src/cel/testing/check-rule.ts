import type { Json, JsonObject } from '../../json/json.ts';
import { compileSchema } from '../../schema/compile-schema.ts';
import { formatFieldError } from '../../schema/format-field-error.ts';
import { compileRules } from '../compile-rules.ts';

export type RuleSource = { rule: string; [key: string]: Json };
export const string = { type: 'string' };
export const integer = { type: 'integer' };

/** A schema whose `spec` has these rules and properties. */
export const withSpec = (rules: RuleSource[], properties: JsonObject): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } },
});

/** The errors of a schema's rules for a value. */
export const run = (schema: JsonObject, value: Json, old?: Json): string[] =>
  compileRules(compileSchema(schema)).validate(value, old).map(formatFieldError);

/** The errors of a single rule on `spec`. */
export const check = (rule: string, properties: JsonObject, spec: Json, old?: Json): string[] =>
  run(
    withSpec([{ rule, message: 'broken' }], properties),
    { spec },
    old === undefined ? undefined : { spec: old },
  );

/** The error of {@link check} when its rule does not hold. */
export const BROKEN = ['spec: Invalid value: broken'];
