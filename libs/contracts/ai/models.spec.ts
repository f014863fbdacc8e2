import { fullModelName, modelNamed } from './models';

describe(fullModelName.name, () => {
  it.each([
    ['claude-sonnet-5-5', 'anthropic', 'claude-sonnet-5-5'],
    ['anthropic/claude-sonnet-5-5', 'openai', 'claude-sonnet-5-5'],
    ['gpt-5-mini', 'openai', 'openai/gpt-5-mini'],
    ['openai/gpt-5-mini', 'anthropic', 'openai/gpt-5-mini'],
    ['openai/openai/gpt-oss-20b', 'anthropic', 'openai/openai/gpt-oss-20b'],
    ['anthropic/openai/gpt-oss-20b', 'openai', 'anthropic/openai/gpt-oss-20b'],
    ['mistralai/Mistral-7B', 'openai', 'openai/mistralai/Mistral-7B'],
    ['openai/', 'anthropic', 'openai/'],
  ] as const)('of %s with the provider %s is %s, also if it is resolved again', (name, unnamed, full) => {
    expect(fullModelName(name, unnamed)).toBe(full);
    expect(fullModelName(full, 'anthropic')).toBe(full);
    expect(modelNamed(full)).toEqual(modelNamed(name, unnamed));
  });
});
