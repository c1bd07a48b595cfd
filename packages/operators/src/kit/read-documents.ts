import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { errorText, type Json } from '@kubewright/kube';
import { parseAllDocuments, type ScalarTag, type Tags } from 'yaml';
import { OperatorError } from '../operator-error.ts';

/** A dot alone is a string, as the keys of managedFields are that `kubectl get -o yaml` prints. */
const FLOAT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)$/;
const YAML_OPTIONS = {
  version: '1.1',
  customTags: (tags: Tags): Tags =>
    tags.map((tag) => (isScalar(tag) && tag.test?.test('.') === true ? { ...tag, test: FLOAT } : tag)),
} as const;

function isScalar(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.collection === undefined;
}

/**
 * The documents of a file of YAML or JSON that are not empty; `-` is standard input. Throws OperatorError `Usage` for
 * one that cannot be read.
 */
export async function readDocuments(file: string): Promise<readonly Json[]> {
  return parseDocuments(await contentOf(file), file);
}

/** The documents of a text of YAML or JSON, which comes from `source`. Throws OperatorError `Usage` for what is neither. */
export function parseDocuments(content: string, source: string): readonly Json[] {
  return [...parseAllDocuments(content, YAML_OPTIONS)].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw new OperatorError('Usage', `${source}: ${error.message}`);
    const value = document.toJS() as Json;
    return value === null ? [] : [value];
  });
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError('Usage', `cannot read ${file}: ${errorText(error)}`);
  }
}
