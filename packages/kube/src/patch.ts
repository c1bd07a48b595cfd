export { applyMergePatch } from './patch/merge-patch.ts';
export { diffMergePatch } from './patch/diff-merge-patch.ts';
export { applyJsonPatch } from './patch/json-patch.ts';
export { createJsonPatch, type JsonPatchOperation } from './patch/create-json-patch.ts';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.ts';
