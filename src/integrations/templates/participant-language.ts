/** Language → the calling codes of countries where most people read it. The longest matching code decides. */
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  ar: [
    '20',
    '212',
    '213',
    '216',
    '218',
    '249',
    '961',
    '962',
    '963',
    '964',
    '965',
    '966',
    '967',
    '968',
    '970',
    '971',
    '973',
    '974',
  ],
  bg: ['359'],
  bn: ['880'],
  cs: ['420'],
  da: ['45'],
  de: ['43', '49', '41', '423'],
  el: ['30', '357'],
  es: [
    '34',
    '51',
    '52',
    '53',
    '54',
    '56',
    '57',
    '58',
    '502',
    '503',
    '504',
    '505',
    '506',
    '507',
    '591',
    '593',
    '595',
    '598',
    '1787',
    '1809',
    '1829',
    '1849',
  ],
  et: ['372'],
  fa: ['98'],
  fi: ['358'],
  fr: ['32', '33', '221', '223', '225', '226', '227', '228', '229', '237', '241', '242', '243', '377', '509'],
  he: ['972'],
  hr: ['385'],
  hu: ['36'],
  id: ['62'],
  it: ['39'],
  ja: ['81'],
  kk: ['77'],
  ko: ['82'],
  lt: ['370'],
  lv: ['371'],
  ms: ['60'],
  nb: ['47'],
  nl: ['31'],
  pl: ['48'],
  pt: ['55', '244', '258', '351'],
  ro: ['40', '373'],
  ru: ['7', '375'],
  sk: ['421'],
  sl: ['386'],
  sr: ['381'],
  sv: ['46'],
  th: ['66'],
  tr: ['90'],
  uk: ['380'],
  ur: ['92'],
  vi: ['84'],
  zh: ['86', '852', '853', '886'],
};

const BY_CODE: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([language, codes]) => codes.map((code) => [code, language] as const)),
);

/** The language of a phone number's country, as a primary subtag (`de`); English if unknown. */
export function languageOfNumber(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  for (let length = 4; length > 0; length--) {
    const language = BY_CODE.get(digits.slice(0, length));
    if (language !== undefined) return language;
  }
  return 'en';
}

/** The primary subtag of a language: `pt_BR` and `pt-PT` are both `pt`. */
export function primaryLanguage(language: string): string {
  return language.split(/[_-]/)[0]!.toLowerCase();
}
