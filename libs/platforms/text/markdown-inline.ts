import MarkdownIt from 'markdown-it';

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes for element text and for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => NAMED[character] ?? character);
}

/** A text without any of these needs no rendering. */
const MARKUP = /[\\`*_~[!<]/;
/** Markup that is nested deeper stays as it was written. */
const MOST_LEVELS = 20;

const markdown = new MarkdownIt({ maxNesting: MOST_LEVELS }).disable(['newline', 'entity']);
markdown.validateLink = (url) => /^(?:https?|tg):\/\//i.test(url);
// Addresses go out as they were written.
markdown.normalizeLink = (url) => url;
markdown.normalizeLinkText = (url) => url;

const { rules } = markdown.renderer;
for (const [name, tag] of Object.entries({ strong: 'b', em: 'i', s: 's' })) {
  rules[`${name}_open`] = () => `<${tag}>`;
  rules[`${name}_close`] = () => `</${tag}>`;
}
rules['hardbreak'] = () => '\n';
rules['code_inline'] = (tokens, at) => `<code>${escapeHtml(tokens[at]!.content)}</code>`;
rules['link_open'] = (tokens, at, _options, env = {}) => {
  env['inLink'] = true;
  const address = escapeHtml(String(tokens[at]!.attrGet('href')));
  return `<a href="${address}">${tokens[at + 1]?.type === 'link_close' ? address : ''}`;
};
rules['link_close'] = (_tokens, _at, _options, env = {}) => {
  env['inLink'] = false;
  return '</a>';
};
// Telegram has no inline images: one is shown as a link to it.
rules['image'] = (tokens, at, options, env = {}, renderer) => {
  const address = escapeHtml(String(tokens[at]!.attrGet('src')));
  const label = escapeHtml(renderer.renderInlineAsText(tokens[at]!.children ?? [], options, env)) || address;
  return env['inLink'] === true ? label : `<a href="${address}">${label}</a>`;
};

export function renderInline(text: string): string {
  return MARKUP.test(text) ? markdown.renderInline(text, {}) : escapeHtml(text);
}
