import { compareText } from '../../json/compare-text.ts';
import { getOwn, isJsonArray, isJsonObject } from '../../json/json.ts';
import { fieldErrors } from '../field-errors.ts';
import { formatFieldError } from '../format-field-error.ts';
import type { OpenApiSchema } from '../schema-node.ts';
import { type CheckRules, validateOpenApi } from './validate-open-api.ts';
import {
  type Errors,
  errorIf,
  isSetAt,
  isTrueAt,
  listParts,
  mapParts,
  partAt,
  textAt,
} from './schema-part.ts';
import { validateCompleteness } from './validate-completeness.ts';
import { validateInvariants } from './validate-invariants.ts';
import { validateDefaults } from './validate-defaults.ts';

const { forbidden, invalid } = fieldErrors;

/** How a CRD's schema is checked. */
export type CrdSchemaOptions = {
  /** The version has a status subresource: the status is validated alone, so the root may not speak of the whole. */
  readonly statusSubresource: boolean;
  /** Compiles `x-kubernetes-validations`; without it rules are not looked into. */
  readonly checkRules?: CheckRules;
};

/**
 * Validates `schema.openAPIV3Schema` of a CRD version as an API server does: it is structural, its defaults fit, and it
 * uses no word that CRDs do not have. `path` is where the schema is. An API server names the schema of a CRD whose
 * versions all have the same one (or that has one version) `spec.validation.openAPIV3Schema`.
 */
export function validateCrdSchema(schema: OpenApiSchema, path: string, options: CrdSchemaOptions): Errors {
  const root = [
    ...(options.statusSubresource ? validateRoot(schema, path) : []),
    ...errorIf(isTrueAt(schema, 'nullable'), () =>
      forbidden(`${path}.nullable`, 'nullable cannot be true at the root'),
    ),
  ];
  const unsupported = unsupportedProblem(schema);
  const structural = unsupported === undefined ? validateStructure(schema, path) : [];
  const isSound = unsupported === undefined && structural.length === 0;
  const openApi = validateOpenApi(schema, path, {
    isRoot: true,
    inMeta: false,
    checkRules: isSound ? options.checkRules : undefined,
  });
  const errors = [...root, ...structural, ...openApi];
  return errors.length > 0 || unsupported === undefined
    ? errors
    : [invalid(path, '', `OpenAPIV3Schema ${unsupported}`)];
}

function validateStructure(schema: OpenApiSchema, path: string): Errors {
  const errors = [...validateInvariants(schema, 'root', path), ...validateCompleteness(schema, path)];
  if (errors.length === 0) return validateDefaults(schema, path, true);
  const texts = new Map(errors.map((error) => [error, formatFieldError(error)]));
  const textOf = (error: (typeof errors)[number]): string => texts.get(error) ?? '';
  return errors.sort((a, b) => compareText(textOf(a), textOf(b)));
}

/** The keywords that the root may have beside a status subresource, under Go's names. */
const allowedAtRoot =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

function validateRoot(schema: OpenApiSchema, path: string): Errors {
  const type = textAt(schema, 'type');
  if (type !== '' && type !== 'object') {
    const why =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, type, why)];
  }
  const allowed = allowedAtRoot.split(' ');
  const other = Object.keys(schema).find((key) => isSetAt(schema, key) && !allowed.includes(goName(key)));
  if (other === undefined) return [];
  const why = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, schema, why)];
}

/** `x-kubernetes-list-type` is `XListType` in Go, `maxLength` is `MaxLength`. */
function goName(key: string): string {
  const words = key.replace(/^x-kubernetes-/, 'x-').split('-');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const unsupportedWords = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
];

/** What is wrong with a word that no structural schema has, anywhere in the schema. */
function unsupportedProblem(schema: OpenApiSchema): string | undefined {
  const own = unsupportedWords.find((key) => isWord(schema, key));
  if (own !== undefined) return `'${own === '$schema' ? 'schema' : own}' is not supported`;
  if (isJsonArray(getOwn(schema, 'items'))) return "'items' must be a schema, but is an array";
  const single = ['not', 'items', 'additionalProperties'].map((key) => partAt(schema, '', key));
  const parts = [
    ...single,
    ...mapParts(schema, '', 'properties'),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => listParts(schema, '', key)),
  ];
  for (const part of parts) {
    const found = part && unsupportedProblem(part.schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isWord(schema: OpenApiSchema, key: string): boolean {
  const value = getOwn(schema, key);
  if (isJsonObject(value)) return key === 'additionalItems' || Object.keys(value).length > 0;
  return isSetAt(schema, key) && !isJsonArray(value);
}
