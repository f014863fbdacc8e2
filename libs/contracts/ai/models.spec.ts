import { fullModelName, modelNamed, shownModelName } from './models';

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

describe(shownModelName, () => {
  it.each([
    ['claude-sonnet-5-5', 'anthropic', 'claude-sonnet-5-5'],
    ['claude-sonnet-5-5', 'openai', 'anthropic/claude-sonnet-5-5'],
    ['openai/gpt-5-mini', 'anthropic', 'openai/gpt-5-mini'],
    ['openai/gpt-5-mini', 'openai', 'openai/gpt-5-mini'],
    ['openai/openai/gpt-oss-20b', 'openai', 'openai/openai/gpt-oss-20b'],
    ['anthropic/openai/gpt-oss-20b', 'openai', 'anthropic/openai/gpt-oss-20b'],
    ['openai/', 'openai', 'anthropic/openai/'],
  ] as const)('shows %s with the provider %s as %s, which means it when it is sent back', (full, unnamed, shown) => {
    expect(shownModelName(full, unnamed)).toBe(shown);
    expect(fullModelName(shown, unnamed)).toBe(full);
  });
});
