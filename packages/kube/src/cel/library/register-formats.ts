import { type Environment, Optional } from '@marcbachmann/cel-js';
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  maskTrailingDash,
} from '../../object/dns-names.ts';
import { isQualifiedName, isValidLabelValue } from '../../object/is-qualified-name.ts';
import { registerNamespace } from './register-namespace.ts';

/** A named format; the library finds the type of a value by its constructor. */
class CelFormat {
  static readonly celName = 'kubernetes.NamedFormat';
  readonly validate: (text: string) => readonly string[];
  constructor(validate: (text: string) => readonly string[]) {
    this.validate = validate;
  }
}

const like =
  (test: (text: string) => boolean, message: string) =>
  (text: string): string[] =>
    test(text) ? [] : [message];

const FORMATS: ReadonlyMap<string, CelFormat> = new Map(
  Object.entries({
    dns1123Label: isDns1123Label,
    dns1123Subdomain: isDns1123Subdomain,
    dns1035Label: isDns1035Label,
    qualifiedName: isQualifiedName,
    dns1123LabelPrefix: (text: string) => isDns1123Label(maskTrailingDash(text)),
    dns1123SubdomainPrefix: (text: string) => isDns1123Subdomain(maskTrailingDash(text)),
    dns1035LabelPrefix: (text: string) => isDns1035Label(maskTrailingDash(text)),
    labelValue: isValidLabelValue,
    uri: like((text) => URL.canParse(text) || /^\/[^\s]*$/.test(text), 'invalid URI for request'),
    uuid: like(
      (text) => /^[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text),
      'does not match the UUID format',
    ),
    byte: like(
      (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
      'invalid base64',
    ),
    date: like((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)), 'invalid date'),
    datetime: like(
      (text) => /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
      'invalid datetime',
    ),
  }).map(([name, validate]) => [name, new CelFormat(validate)]),
);

/** Kubernetes' `format.dns1123Label().validate(text)`, which gives nothing or a list of what is wrong. */
export function registerFormats(environment: Environment): void {
  const namespace = registerNamespace(environment, 'format');
  environment
    .registerType('kubernetes.NamedFormat', CelFormat)
    .registerFunction(
      `${namespace}.named(string): optional<kubernetes.NamedFormat>`,
      (_: unknown, name: string) => Optional.of(FORMATS.get(name)),
    )
    .registerFunction(
      'kubernetes.NamedFormat.validate(string): optional<list<string>>',
      ({ validate }: CelFormat, text: string) => {
        const errors = validate(text);
        return errors.length === 0 ? Optional.none() : Optional.of([...errors]);
      },
    );
  // As in cel-go, where null may be compared with an optional value, but equals none.
  environment.registerOperator('optional == null', () => false);
  for (const [name, format] of FORMATS) {
    environment.registerFunction(`${namespace}.${name}(): kubernetes.NamedFormat`, () => format);
  }
}
