import { type Json, stringifyJson } from '@kubewright/kube';
import { stringify } from 'yaml';

/** Text that YAML 1.1, which kubectl reads, would take for something else (`on`) is quoted. */
const YAML = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** One YAML document. */
export function encodeYaml(value: unknown): string {
  return stringify(value, YAML);
}

/** JSON as kubectl prints it; in one line where it has integers that JavaScript's own writer rejects. */
export function encodeJson(value: Json): string {
  try {
    return `${JSON.stringify(value, undefined, 4)}\n`;
  } catch {
    return `${stringifyJson(value)}\n`;
  }
}
