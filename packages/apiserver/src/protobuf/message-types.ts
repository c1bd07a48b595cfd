import { createRequire } from 'node:module';
import { getOwn, type JsonObject } from '@kubewright/kube';

/** What a field holds; see tools/catalogue/protobuf. */
export type FieldForm = {
  /** Empty: the message's fields belong to the object around it. */
  readonly name: string;
  readonly shape: 'one' | 'list' | 'map';
  /** `s`, `b`, `i`, `o`, `d`, `m` or the name of one of apimachinery's scalar types. */
  readonly kind: string;
  /** Of kind `m`: the message. */
  readonly message: string;
};

/** Kubernetes' protobuf messages by type name. */
export type MessageTypes = {
  /** The message of a kind: `apps/v1/Deployment`. */
  readonly ofKind: (apiVersion: string, kind: string) => string | undefined;
  readonly fields: (message: string) => ReadonlyMap<number, FieldForm>;
};

type Data = { readonly kinds: JsonObject; readonly types: JsonObject };

let loaded: MessageTypes | undefined;

/** The messages of Kubernetes 1.36; read from their data file when the first client sends protobuf. */
export function messageTypes(): MessageTypes {
  return (loaded ??= compile(
    createRequire(import.meta.url)('@kubewright/apiserver/data/protobuf.json') as Data,
  ));
}

function compile({ kinds, types }: Data): MessageTypes {
  const compiled = new Map<string, ReadonlyMap<number, FieldForm>>();
  return {
    ofKind(apiVersion, kind) {
      // These options are registered in every version of every group, and clients send that of the object.
      const name = getOwn(kinds, kind === 'DeleteOptions' ? 'v1/DeleteOptions' : `${apiVersion}/${kind}`);
      return typeof name === 'string' ? name : undefined;
    },
    fields(message) {
      let fields = compiled.get(message);
      if (fields === undefined) {
        fields = compileFields((getOwn(types, message) ?? {}) as Readonly<Record<string, string>>);
        compiled.set(message, fields);
      }
      return fields;
    },
  };
}

function compileFields(fields: Readonly<Record<string, string>>): ReadonlyMap<number, FieldForm> {
  return new Map(Object.entries(fields).map(([number, text]) => [Number(number), parseForm(text)]));
}

const SHAPES: Readonly<Record<string, FieldForm['shape']>> = { '*': 'list', '%': 'map' };

function parseForm(text: string): FieldForm {
  const colon = text.indexOf(':');
  const mark = text[colon + 1] ?? '';
  const form = mark in SHAPES ? text.slice(colon + 2) : text.slice(colon + 1);
  const message = form.startsWith('m') ? form.slice(1) : '';
  const kind = message === '' ? form : 'm';
  return { name: text.slice(0, colon), shape: SHAPES[mark] ?? 'one', kind, message };
}
