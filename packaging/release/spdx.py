# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The list of a release's parts as SPDX 2.3 in JSON. pack.py calls document(). Not here: how the
parts were found (collect.py)."""
import datetime
import hashlib
import re
import uuid

OURS = "BSD-2-Clause-Patent AND LGPL-2.1-or-later"
NONE = "NOASSERTION"


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def file_entry(number, name, data, is_program):
    return {
        "SPDXID": f"SPDXRef-File-{number}",
        "fileName": "./" + name,
        "fileTypes": ["BINARY" if is_program else "TEXT"],
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
        "licenseConcluded": NONE,
        "licenseInfoInFiles": [NONE],
        "copyrightText": NONE,
    }


def part_entry(part):
    name = part.get("source") or part["name"]
    entry = {
        "SPDXID": identifier("Part-" + part["name"]),
        "name": part["name"],
        "versionInfo": part["version"],
        "downloadLocation": NONE,
        "filesAnalyzed": False,
        "licenseConcluded": NONE,
        "licenseDeclared": part["licence"],
        "copyrightText": NONE,
        "sourceInfo": f"{part['link']}; source package {name} of Debian",
        "supplier": "Organization: Debian",
    }
    if part.get("purl", True):
        entry["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{part['version'].replace('+', '%2B').replace(':', '%3A')}"
                                "?arch=source"}]
    return entry


def verification_code(files):
    """As the standard's section 7.9 says."""
    sums = sorted(entry["checksums"][0]["checksumValue"] for entry in files)
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(name, version, archive, epoch, files, parts, licence):
    """files: entries of file_entry(); archive: (file name, SHA-256)."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    main = {
        "SPDXID": "SPDXRef-Release",
        "name": "vmaf_gpu",
        "versionInfo": version,
        "packageFileName": archive[0],
        "supplier": "Organization: The vmaf_gpu authors",
        "downloadLocation": NONE,
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)},
        "checksums": [{"algorithm": "SHA256", "checksumValue": archive[1]}],
        "licenseConcluded": NONE,
        "licenseDeclared": licence,
        "licenseInfoFromFiles": [NONE],
        "copyrightText": "Copyright (c) 2026 the vmaf_gpu authors",
        "primaryPackagePurpose": "APPLICATION",
    }
    links = [relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Release")]
    links += [relation("SPDXRef-Release", "CONTAINS", entry["SPDXID"]) for entry in files]
    kinds = {"static": "STATIC_LINK", "shared": "DYNAMIC_LINK"}
    links += [relation("SPDXRef-Release", kinds.get(part["link"], "DEPENDS_ON"),
                       identifier("Part-" + part["name"])) for part in parts]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        # Made of the archive's sum: as unique as that, and no address has to be invented.
        "documentNamespace": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_OID, archive[1])),
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Organization: The vmaf_gpu authors", "Tool: vmaf_gpu-release.sh"]},
        "packages": [main] + [part_entry(part) for part in parts],
        "files": files,
        "relationships": links,
    }
