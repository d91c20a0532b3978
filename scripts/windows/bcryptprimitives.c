/*
 * The library bcryptprimitives.dll for Debian's wine, which lacks it. Programs of Go take the random numbers
 * that they start with from its one function.
 */
#include <windows.h>

/* RtlGenRandom of advapi32.dll: fills a buffer with random bytes. */
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) {
	const SIZE_T most = 1u << 20; /* bytes of a call */
	for (SIZE_T done = 0; done < size; done += most) {
		SIZE_T left = size - done;
		if (!SystemFunction036(buffer + done, (ULONG)(left < most ? left : most))) return FALSE;
	}
	return TRUE;
}
