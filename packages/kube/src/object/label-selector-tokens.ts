type SelectorTokenType =
  | 'end'
  | 'error'
  | 'word'
  | '('
  | ')'
  | ','
  | '!'
  | '='
  | '=='
  | '!='
  | '>'
  | '<'
  | 'in'
  | 'notin';

export type SelectorToken = { readonly type: SelectorTokenType; readonly text: string };

/** Longest operators first. A NUL ends the text, as it does in Go's lexer. */
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!()<>,])|([^ \t\r\n=!()<>,]+))/y;

/** Splits a label selector into tokens, the last of which is always `end`. */
export function tokenizeLabelSelector(text: string): SelectorToken[] {
  const source = text.split('\0', 1)[0] ?? '';
  const tokens: SelectorToken[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
    const [, symbol, word = ''] = match;
    if (symbol !== undefined) tokens.push({ type: symbol as SelectorTokenType, text: symbol });
    else tokens.push({ type: word === 'in' || word === 'notin' ? word : 'word', text: word });
  }
  return [...tokens, { type: 'end', text: '' }];
}
