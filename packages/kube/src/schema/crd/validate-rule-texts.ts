import { type JsonObject, getOwn, isJsonArray, isJsonObject } from '../../json/json.ts';
import { fieldErrors } from '../field-errors.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { type Errors, errorIf, mapParts, partAt, textAt } from './schema-part.ts';

const { invalid, notSupported, required } = fieldErrors;

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Checks `x-kubernetes-validations` without compiling the expressions. */
export function validateRuleTexts(schema: OpenApiSchema, path: string): Errors {
  const rules = getOwn(schema, 'x-kubernetes-validations');
  if (!isJsonArray(rules)) return [];
  return rules.flatMap((rule, index) =>
    isJsonObject(rule) ? validateRule(schema, rule, `${path}.x-kubernetes-validations[${index}]`) : [],
  );
}

function validateRule(schema: OpenApiSchema, rule: JsonObject, path: string): Errors {
  const expression = textAt(rule, 'messageExpression');
  const reason = textAt(rule, 'reason');
  return [
    ...validateMessage(rule, path),
    ...errorIf(isBlank(expression), () =>
      required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'),
    ),
    ...errorIf(reason !== '' && !reasons.includes(reason), () =>
      notSupported(`${path}.reason`, reason, reasons),
    ),
    ...validateFieldPath(schema, textAt(rule, 'fieldPath'), `${path}.fieldPath`),
  ];
}

/** Set, but only white space. */
function isBlank(text: string): boolean {
  return text !== '' && text.trim() === '';
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

function validateMessage(rule: JsonObject, path: string): Errors {
  const text = textAt(rule, 'rule').trim();
  const message = textAt(rule, 'message');
  if (text === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (isBlank(message)) return [invalid(`${path}.message`, message, 'must be non-empty if specified')];
  if (hasLineBreak(message.trim()))
    return [invalid(`${path}.message`, message, 'must not contain line breaks')];
  return errorIf(hasLineBreak(text) && message === '', () =>
    required(`${path}.message`, 'message must be specified if rule contains line breaks'),
  );
}

function validateFieldPath(schema: OpenApiSchema, text: string, path: string): Errors {
  if (text === '') return [];
  return [
    ...errorIf(isBlank(text), () => invalid(path, text, 'must be non-empty if specified')),
    ...errorIf(hasLineBreak(text), () => invalid(path, text, 'must not contain line breaks')),
    ...errorIf(!leadsToField(schema, text), () => invalid(path, text, 'must be a valid path')),
  ];
}

/** A path of fields below the schema: `.spec.replicas`, `['odd-name']`. */
function leadsToField(schema: OpenApiSchema, text: string): boolean {
  let place: OpenApiSchema | undefined = schema;
  let rest = text;
  while (rest !== '' && place !== undefined) {
    const step: RegExpExecArray | null = /^(?:\.([A-Za-z_]\w*)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (step === null) return false;
    place = fieldAt(place, step[1] ?? (step[2] as string).replaceAll(/\\(.)/g, '$1'));
    rest = rest.slice(step[0].length);
  }
  return place !== undefined;
}

function fieldAt(schema: OpenApiSchema, name: string): OpenApiSchema | undefined {
  const property = mapParts(schema, '', 'properties').find((part) => part.key === name);
  return (property ?? partAt(schema, '', 'additionalProperties'))?.schema;
}
