/** The sandbox's exchange rates: fixed and approximate, so the same order always costs the same. */
import type { Rates } from '../service/catalog/pricing.ts';
import { hash32 } from './catalog/draw.ts';

/**
 * Units of each currency per US dollar, as decimal text: sample data, rounded figures of about
 * 2025. It covers every currency of the listed countries.
 */
const UNITS = `
  AED=3.6725 AFN=70 ALL=88 AMD=388 ANG=1.79 AOA=915 ARS=1200 AUD=1.53 AWG=1.79 AZN=1.7
  BAM=1.75 BBD=2 BDT=121 BGN=1.75 BHD=0.376 BIF=2950 BMD=1 BND=1.3 BOB=6.91 BRL=5.5 BSD=1
  BTN=86 BWP=13.5 BYN=3.2 BZD=2 CAD=1.37 CDF=2850 CHF=0.82 CLP=940 CNY=7.2 COP=4100 CRC=505
  CUP=24 CVE=97 CZK=21.8 DJF=178 DKK=6.6 DOP=60 DZD=131 EGP=49 ERN=15 ETB=136 EUR=0.88
  FJD=2.25 FKP=0.75 GBP=0.75 GEL=2.72 GHS=11 GIP=0.75 GMD=71 GNF=8650 GTQ=7.7 GYD=209
  HKD=7.82 HNL=26 HTG=131 HUF=352 IDR=16300 ILS=3.5 INR=86 IQD=1310 IRR=42000 ISK=125 JMD=160
  JOD=0.709 JPY=146 KES=129 KGS=87.4 KHR=4010 KMF=433 KPW=900 KRW=1380 KWD=0.306 KYD=0.833
  KZT=520 LAK=21600 LBP=89500 LKR=300 LRD=200 LSL=17.8 LYD=5.4 MAD=9.1 MDL=17 MGA=4450 MKD=54
  MMK=2100 MNT=3580 MOP=8.06 MRU=39.7 MUR=45.5 MVR=15.4 MWK=1735 MXN=18.9 MYR=4.24 MZN=63.9
  NAD=17.8 NGN=1540 NIO=36.8 NOK=10.1 NPR=137 NZD=1.66 OMR=0.385 PAB=1 PEN=3.6 PGK=4.12
  PHP=57 PKR=283 PLN=3.74 PYG=7900 QAR=3.64 RON=4.45 RSD=103 RUB=79 RWF=1440 SAR=3.75
  SBD=8.35 SCR=14.2 SDG=600 SEK=9.6 SGD=1.29 SHP=0.75 SLE=22.7 SOS=571 SRD=37.5 SSP=4500
  STN=21.6 SYP=13000 SZL=17.8 THB=32.6 TJS=9.8 TMT=3.5 TND=2.95 TOP=2.36 TRY=39.5 TTD=6.78
  TWD=29.6 TZS=2620 UAH=41.6 UGX=3590 USD=1 UYU=40.8 UZS=12650 VES=105 VND=26000 VUV=119
  WST=2.74 XAF=577 XCD=2.7 XCG=1.79 XOF=577 XPF=105 YER=243 ZAR=17.8 ZMW=24 ZWG=26.8`;

export const UNITS_PER_USD: Readonly<Record<string, string>> = Object.fromEntries(
  UNITS.trim()
    .split(/\s+/)
    .map((pair) => pair.split('=')),
);

const PICO_PER_USD = 10n ** 12n;

/** Creates rates from a table of units per US dollar, as decimal text. */
export function createRates(unitsPerUsd: Readonly<Record<string, string>>): Rates {
  return {
    version: `rates-${hash32(JSON.stringify(unitsPerUsd)).toString(16)}`,
    picoUsdPer: (currency) => {
      const units = Object.hasOwn(unitsPerUsd, currency) ? unitsPerUsd[currency] : undefined;
      return units === undefined ? undefined : picoUsd(units);
    },
  };
}

/** The reciprocal, rounded up as prices are. */
function picoUsd(unitsPerUsd: string): bigint {
  const [whole = '', fraction = ''] = unitsPerUsd.split('.');
  const divisor = BigInt(whole + fraction);
  const dividend = PICO_PER_USD * 10n ** BigInt(fraction.length);
  return (dividend + divisor - 1n) / divisor;
}

/** The rates of `UNITS_PER_USD`. */
export const sandboxRates: Rates = createRates(UNITS_PER_USD);
