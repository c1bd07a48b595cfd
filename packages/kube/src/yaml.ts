// The one reader of YAML: as kubectl and kube-apiserver read it.
export { decodeYaml } from './yaml/decode-yaml.ts';
export type { YamlReading } from './yaml/document-to-json.ts';
export { parseYaml, parseYamlBody, parseYamlInSteps } from './yaml/parse-yaml.ts';
export { parseYamlStream } from './yaml/parse-yaml-stream.ts';
