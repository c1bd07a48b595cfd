import type { admissionregistrationv1 } from '@kubewright/kube';
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';

/** The kind of the objects that parametrize a policy. */
export function validateParamKind(paramKind: Field<admissionregistrationv1.ParamKind>): void {
  validateApiVersion(paramKind.at('apiVersion'));
  const kind = paramKind.at('kind');
  const value = kind.asText;
  if (value === '') return kind.addRequired('');
  const errors = isDns1035Label(value.toLowerCase());
  if (errors.length > 0)
    kind.addInvalid(`may have mixed case, but should otherwise match: ${errors.join(',')}`, { value });
}

function validateApiVersion(apiVersion: Field<string>): void {
  const text = apiVersion.asText;
  if (text === '') return apiVersion.addRequired('');
  const parts = text === '/' ? ['', ''] : text.split('/');
  if (parts.length > 2)
    return apiVersion.addInvalid(`unexpected GroupVersion string: ${text}`, { value: text });
  const [version = '', group = ''] = parts.toReversed();
  addJoined(apiVersion, group, group === '' ? [] : isDns1123Subdomain(group));
  if (version === '') return apiVersion.addInvalid('version must be specified', { value: text });
  addJoined(apiVersion, version, isDns1035Label(version));
}

function addJoined(field: Field<string>, value: string, errors: readonly string[]): void {
  if (errors.length > 0) field.addInvalid(errors.join(','), { value });
}

/** Which objects parametrize a policy for one binding. */
export function validateParamRef(reference: Field<admissionregistrationv1.ParamRef>): void {
  const [name, selector] = [reference.at('name'), reference.maybeAt('selector')];
  const exclusive = 'name and selector are mutually exclusive';
  if (name.asText !== '') {
    name.mustMatch(isPathSegmentName);
    if (selector !== undefined) name.addForbidden(exclusive);
  }
  if (selector !== undefined) {
    selector.add(validateLabelSelector(selector.object, selector.path));
    if (name.asText !== '') selector.addForbidden(exclusive);
  }
  if (name.asText === '' && selector === undefined)
    reference.addRequired('one of name or selector must be specified');
  reference.requireOneOf('parameterNotFoundAction', ['Deny', 'Allow'], '');
}
