export { applyMergePatch } from './patch/apply-merge-patch.ts';
export { diffMergePatch } from './patch/diff-merge-patch.ts';
export { applyJsonPatch } from './patch/apply-json-patch.ts';
export { createJsonPatch, type JsonPatchOperation } from './patch/create-json-patch.ts';
export { applyStrategicMergePatch } from './patch/apply-strategic-merge-patch.ts';
