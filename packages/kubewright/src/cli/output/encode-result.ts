import {
  evaluateJsonPath,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonPath,
  parseJsonPath,
} from '@kubewright/kube';
import { type CommandResult, textTable } from '@kubewright/operators';
import { printable } from '@kubewright/operators/list';
import { KubewrightError } from '../../kubewright-error.ts';
import { encodeJson, encodeYaml } from '../encode-yaml.ts';
import { jsonpathTemplate, scalar } from './jsonpath-template.ts';

/** A result as `--output` wants it. The option has been checked, but not the paths in it. */
export function encodeResult(result: CommandResult, format = ''): string {
  const [kind, template = ''] = splitAt(format);
  const { json } = result;
  switch (kind) {
    case 'json':
      return encodeJson(json);
    case 'yaml':
      return yamlOf(result);
    case 'name':
      return namesOf(result);
    case 'jsonpath':
      return printable(jsonpathTemplate(template)(json));
    case 'custom-columns':
      return customColumns(template, itemsOf(json), result.hasTitles);
    default:
      return result.text(kind === 'wide');
  }
}

function yamlOf({ json, follows = false }: CommandResult): string {
  return `${follows ? '---\n' : ''}${encodeYaml(json)}`;
}

function namesOf({ names = [] }: CommandResult): string {
  return printable(names.map((name) => `${name}\n`).join(''));
}

/** `jsonpath={.items}` in two; the rest may have an equals sign, too. */
function splitAt(format: string): readonly [kind: string, template?: string] {
  const at = format.indexOf('=');
  return at < 0 ? [format] : [format.slice(0, at), format.slice(at + 1)];
}

function itemsOf(json: Json): readonly Json[] {
  const items = isJsonObject(json) ? json['items'] : json;
  return isJsonArray(items) ? items : [json];
}

type CustomColumn = { readonly title: string; readonly steps: JsonPath };

/** `NAME:.name,WHERE:.namespace`, as kubectl takes it. */
function customColumns(text: string, items: readonly Json[], hasTitles = true): string {
  const columns = text.split(',').map(customColumn);
  const rows = items.map((item) => columns.map(({ steps }) => cell(steps, item)));
  return textTable(hasTitles ? [columns.map(({ title }) => title), ...rows] : rows);
}

function customColumn(text: string): CustomColumn {
  const [title = '', path = ''] = text.split(/:(.*)/s);
  const inner = path.replace(/^\{(.*)\}$/s, '$1');
  const steps = parseJsonPath(/^[.[]/.test(inner) ? inner : `.${inner}`);
  if (title !== '' && inner !== '' && steps !== undefined) return { title, steps };
  const message = `--output custom-columns: "${text}" is no column; write it like NAME:.name`;
  throw new KubewrightError('Usage', message);
}

function cell(steps: JsonPath, item: Json): string {
  const found = evaluateJsonPath(steps, item).filter((value) => value !== null);
  return found.length === 0 ? '<none>' : found.map(scalar).join(',').replaceAll('\n', ' ');
}
