import { type InputOptions, readInput } from '@kubewright/client';
import { errorText, type Json, yamlErrorText } from '@kubewright/kube';
import { type Document, parseAllDocuments, type ScalarTag, type Tags } from 'yaml';
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
export async function readDocuments(file: string, options: InputOptions = {}): Promise<readonly Json[]> {
  return parseDocuments((await readNamed(file, options)).toString('utf8'), file);
}

/** The content of a file that a user names, see `readInput`. Throws OperatorError `Usage` for what cannot be read. */
export async function readNamed(file: string, options: InputOptions): Promise<Buffer> {
  try {
    return await readInput(file, options);
  } catch (error) {
    throw new OperatorError('Usage', `cannot read ${file}: ${errorText(error)}`);
  }
}

/** The documents of a text of YAML or JSON, which comes from `source`. Throws OperatorError `Usage` for what is neither. */
export function parseDocuments(content: string, source: string): readonly Json[] {
  return [...parseAllDocuments(content, YAML_OPTIONS)].flatMap((document) => {
    const value = valueOf(document, source);
    return value === null ? [] : [value];
  });
}

function valueOf(document: Document, source: string): Json {
  try {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as Json;
  } catch (error) {
    throw new OperatorError('Usage', `${source}: ${yamlErrorText(error)}`);
  }
}
