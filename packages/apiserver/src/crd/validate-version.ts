import type { JsonObject } from '@kubewright/kube';
import { type FieldError, fieldErrors, isDns1035Label } from '@kubewright/kube/validation';
import { validateCrdSchema } from '@kubewright/kube/schema';
import { type Errors, each, inside, invalid, invalidFor, NONE, required } from '../validation/errors.ts';
import { byteLength } from '../validation/validate-labels.ts';
import { isTrue, maybeObject, maybeString, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { ruleChecker } from './rule-checker.ts';
import { sharedPath, type VersionPart } from './version-part.ts';
import { type FieldPath, walkFieldPath } from './walk-field-path.ts';

/** One of `spec.versions`: its name, and the parts that are its own. */
export function validateVersion(version: JsonObject, path: string, shared: ReadonlySet<VersionPart>): Errors {
  const name = stringAt(version, 'name');
  const messages = isDns1035Label(name);
  return [
    ...(messages.length === 0 ? NONE : invalidFor(`${path}.name`, name, [messages.join(',')])),
    ...validateDeprecation(version, `${path}.deprecationWarning`),
    ...validateParts(version, hasStatus(version), (part) =>
      shared.has(part) ? undefined : `${path}.${part}`,
    ),
  ];
}

/** The parts that all versions have in common, once. */
export function validateSharedParts(
  versions: readonly JsonObject[],
  shared: ReadonlySet<VersionPart>,
): Errors {
  const [first] = versions;
  if (first === undefined) return NONE;
  return validateParts(first, versions.some(hasStatus), (part) =>
    shared.has(part) ? sharedPath(part) : undefined,
  );
}

function hasStatus(version: JsonObject): boolean {
  return maybeObject(objectAt(version, 'subresources'), 'status') !== undefined;
}

/** The parts that have a path. */
function validateParts(
  version: JsonObject,
  statusSubresource: boolean,
  pathOfPart: (part: VersionPart) => string | undefined,
): Errors {
  const check = (part: VersionPart, validate: (path: string) => Errors): Errors => {
    const path = pathOfPart(part);
    return path === undefined ? NONE : validate(path);
  };
  return [
    ...check('schema', (path) =>
      inside(maybeObject(objectAt(version, 'schema'), 'openAPIV3Schema'), (schema) =>
        validateCrdSchema(schema, `${path}.openAPIV3Schema`, {
          statusSubresource,
          checkRules: ruleChecker(schema, `${path}.openAPIV3Schema`),
        }),
      ),
    ),
    ...check('subresources', (path) => validateSubresources(objectAt(version, 'subresources'), path)),
    ...check('additionalPrinterColumns', (path) =>
      each(objectsAt(version, 'additionalPrinterColumns'), path, validateColumn),
    ),
    ...check('selectableFields', (path) => validateSelectable(version, path)),
  ];
}

function validateDeprecation(version: JsonObject, path: string): Errors {
  const warning = maybeString(version, 'deprecationWarning');
  if (warning === undefined) return NONE;
  if (!isTrue(version, 'deprecated')) {
    return invalidFor(path, warning, ['can only be set for deprecated versions']);
  }
  return [
    ...invalid(byteLength(warning) > 256, path, warning, 'must be <= 256 characters long'),
    ...invalid(warning === '', path, warning, 'must not be an empty string'),
  ];
}

function validateSubresources(subresources: JsonObject, path: string): Errors {
  return inside(maybeObject(subresources, 'scale'), (scale) => [
    ...validateReplicasPath(stringAt(scale, 'specReplicasPath'), `${path}.scale.specReplicasPath`, '.spec'),
    ...validateReplicasPath(
      stringAt(scale, 'statusReplicasPath'),
      `${path}.scale.statusReplicasPath`,
      '.status',
    ),
    ...(stringAt(scale, 'labelSelectorPath') === ''
      ? NONE
      : validateSelectorPath(stringAt(scale, 'labelSelectorPath'), `${path}.scale.labelSelectorPath`)),
  ]);
}

function validateReplicasPath(text: string, path: string, root: string): Errors {
  if (text === '') return required(false, path);
  const errors = validatePath(text, path);
  if (errors.length > 0) return errors;
  return invalid(!text.startsWith(`${root}.`), path, text, `should be a json path under ${root}`);
}

/** A path of plain field names: `.spec.replicas`. */
function validatePath(text: string, path: string): Errors {
  return invalid(!text.startsWith('.'), path, text, 'must be a simple json path starting with .');
}

function validateSelectorPath(text: string, path: string): Errors {
  const errors = validatePath(text, path);
  if (errors.length > 0) return errors;
  const below = text.startsWith('.spec.') || text.startsWith('.status.');
  return invalid(!below, path, text, 'should be a json path under either .spec or .status');
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function validateColumn(column: JsonObject, path: string): Errors {
  const [type, format, jsonPath] = [
    stringAt(column, 'type'),
    stringAt(column, 'format'),
    stringAt(column, 'jsonPath'),
  ];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  return [
    ...required(stringAt(column, 'name') !== '', `${path}.name`),
    ...(type === ''
      ? required(false, `${path}.type`, types)
      : invalid(!COLUMN_TYPES.includes(type), `${path}.type`, type, types)),
    ...invalid(
      format !== '' && !COLUMN_FORMATS.includes(format),
      `${path}.format`,
      format,
      `must be one of ${COLUMN_FORMATS.join(',')}`,
    ),
    ...(jsonPath === '' ? required(false, `${path}.JSONPath`) : validatePath(jsonPath, `${path}.JSONPath`)),
  ];
}

const MAX_SELECTABLE = 8;

type ValidPath = Exclude<FieldPath, { readonly problem: string }>;

function validateSelectable(version: JsonObject, path: string): Errors {
  const schema = objectAt(version, 'schema', 'openAPIV3Schema');
  const seen = new Set<string>();
  const errors = each(objectsAt(version, 'selectableFields'), path, (field, at) => {
    const text = stringAt(field, 'jsonPath');
    if (text === '') return required(false, `${at}.jsonPath`);
    const walked = walkFieldPath(text, schema);
    if ('problem' in walked) {
      return invalidFor(`${at}.jsonPath`, text, [`is an invalid path: ${walked.problem}`]);
    }
    const found: FieldError[] = [...validateSelectablePath(walked, text, `${at}.jsonPath`)];
    if (seen.has(text)) found.push(fieldErrors.duplicate(`${at}.jsonPath`, text));
    seen.add(text);
    return found;
  });
  return seen.size > MAX_SELECTABLE
    ? [...errors, fieldErrors.tooMany(path, seen.size, MAX_SELECTABLE)]
    : errors;
}

function validateSelectablePath({ names, schema }: ValidPath, text: string, path: string): Errors {
  const scalar = ['string', 'boolean', 'integer'].includes(stringAt(schema, 'type'));
  const detail =
    'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
  return [
    ...invalid(names[0] === 'metadata', path, text, 'must not point to fields in metadata'),
    ...invalid(!scalar, path, text, detail),
  ];
}
